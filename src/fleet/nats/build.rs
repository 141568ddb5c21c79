//! Building of engines on workers that allow it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;

use crate::fleet::nats::cache::{BUILD, ProvideError};
use crate::fleet::nats::messages::{Refusal, RefusalCode, Source};
use crate::store::{TempFolder, sha256_of};

/// Time that a build may take.
const BUILD_TIME: Duration = Duration::from_secs(30 * 60);
/// Part of what a build prints that is reported.
const REPORTED_BYTES: usize = 400;

/// Builds a program from an archive of its source, unless `cache` has it, and returns its path.
pub(super) async fn build(cache: &Path, source: &Source, tar: &Path) -> Result<PathBuf, ProvideError> {
    let refused =
        |why: String| Refusal { code: RefusalCode::Build, why: format!("revision {}: {why}", source.rev) };
    let program = Path::new(&source.program);
    if program.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(refused(format!("{:?} is not a path inside the source", source.program)).into());
    }
    let recipe = format!("{}\n{}\n{}", source.tar.sha256, source.build, source.program);
    let built = cache.join("builds").join(sha256_of(recipe.as_bytes()));
    if built.is_file() {
        return Ok(built);
    }
    let folder = TempFolder::create_in(cache, BUILD)?;
    let mut unpack = Command::new("tar");
    unpack.arg("-x").arg("-C").arg(folder.path()).stdin(File::open(tar)?);
    finished(unpack, "the source cannot be unpacked").await.map_err(refused)?;
    let mut shell = Command::new("sh");
    shell.args(["-c", &source.build]).current_dir(folder.path()).stdin(Stdio::null());
    finished(shell, "the build failed").await.map_err(refused)?;
    let made = folder.path().join(program);
    if !fs::symlink_metadata(&made).is_ok_and(|facts| facts.is_file()) {
        return Err(refused(format!("the build did not make {}", source.program)).into());
    }
    fs::set_permissions(&made, Permissions::from_mode(0o555))?;
    fs::rename(&made, &built)?;
    Ok(built)
}

/// Runs a command to its end; the error has the end of what it printed.
async fn finished(mut command: Command, what: &str) -> Result<(), String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
    let child = command.spawn().map_err(|why| format!("{what}: {why}"))?;
    let group = child.id();
    match timeout(BUILD_TIME, child.wait_with_output()).await {
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => {
            let printed = [output.stdout, output.stderr].concat();
            let end = printed.len().saturating_sub(REPORTED_BYTES);
            let text = String::from_utf8_lossy(&printed[end..]).trim().to_owned();
            Err(format!("{what} ({}): {text}", output.status))
        }
        Ok(Err(why)) => Err(format!("{what}: {why}")),
        Err(_) => {
            // What it started must end with it.
            if let Some(group) = group.and_then(|group| i32::try_from(group).ok()) {
                let _ = nix::sys::signal::killpg(
                    nix::unistd::Pid::from_raw(group),
                    nix::sys::signal::Signal::SIGKILL,
                );
            }
            Err(format!("{what}: it took longer than {} min", BUILD_TIME.as_secs() / 60))
        }
    }
}
