//! Whether the engines of a run are confined on a worker.

use crate::fleet::nats::messages::{Refusal, RefusalCode};
use crate::player::{EngineSpec, Isolation, check_isolation};

/// Largest file that an engine of another machine's run may write.
const MOST_FILE_BYTES: u64 = 1 << 30;

/// Whether engines are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// Where the machine can.
    #[default]
    Auto,
    /// Always; a machine that cannot refuses runs.
    Require,
    /// Never.
    Off,
}

/// Returns the engine as it is started under `mode`.
pub(super) fn confine(mut spec: EngineSpec, mode: SandboxMode) -> Result<EngineSpec, Refusal> {
    let most = spec.sandbox.file_bytes.map_or(MOST_FILE_BYTES, |bytes| bytes.min(MOST_FILE_BYTES));
    spec.sandbox.file_bytes = Some(most);
    let possible = match mode {
        SandboxMode::Off => return Ok(spec),
        SandboxMode::Auto | SandboxMode::Require => check_isolation(),
    };
    match (possible, mode) {
        (Ok(()), _) => spec.sandbox.isolation = Isolation::Strict,
        (Err(why), SandboxMode::Require) => {
            let why = format!("engines cannot be confined (--sandbox require): {why}");
            return Err(Refusal { code: RefusalCode::Sandbox, why });
        }
        (Err(_), _) => {}
    }
    Ok(spec)
}
