//! Whether the engines of a run are confined on a worker.

use crate::fleet::nats::messages::{Refusal, RefusalCode};
use crate::player::EngineSpec;

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

/// Returns the engine as it is started under `mode`. This version confines engines by the limits of their specification
/// only, so a worker that requires more refuses them.
pub(super) fn confine(spec: EngineSpec, mode: SandboxMode) -> Result<EngineSpec, Refusal> {
    match mode {
        SandboxMode::Auto | SandboxMode::Off => Ok(spec),
        SandboxMode::Require => {
            let why =
                "this version cannot confine engines; without --sandbox require it runs them as this user";
            Err(Refusal { code: RefusalCode::Sandbox, why: why.to_owned() })
        }
    }
}
