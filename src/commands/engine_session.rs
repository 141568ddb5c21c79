//! One engine, started outside a run to be asked something.

use crate::commands::environment::Environment;
use crate::commands::failure::{Failure, OrFailure};
use crate::player::{EngineSpec, Fitness, Launcher, Player, ProcessTransport, StartFault};
use crate::run::preflight::printed_line;

/// An engine that has completed its handshake.
pub(super) type EngineSession = Player<ProcessTransport>;

/// Starts an engine, passes it to `talk` and ends it.
pub(super) fn with_engine<R>(
    spec: &EngineSpec,
    environment: &Environment,
    talk: impl AsyncFnOnce(&mut EngineSession) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().or_fault()?;
    // Players are not `Send`, so they run in local tasks.
    let tasks = tokio::task::LocalSet::new();
    let named = |why: &dyn std::fmt::Display| Failure::fault(format_args!("engine {}: {why}", spec.name));
    runtime.block_on(tasks.run_until(async {
        let launcher = Launcher::new(Some(&environment.guardian())).or_fault()?;
        let no_arguments: [&str; 0] = [];
        let transport = launcher.launch(spec, &no_arguments, &[]).await.map_err(|why| named(&why))?;
        match Player::handshake(transport, spec).await {
            Ok(mut player) => {
                let answered = talk(&mut player).await;
                player.shut_down(if answered.is_ok() { Fitness::Fit } else { Fitness::Unfit }).await;
                answered
            }
            Err((player, fault)) => {
                let printed = printed_line(&player);
                player.shut_down(Fitness::Unfit).await;
                // A wrong protocol is recognised by what was printed, and quotes it.
                Err(match fault {
                    StartFault::Option(_) | StartFault::WrongProtocol { .. } => named(&fault),
                    _ => named(&format_args!("{fault}{printed}")),
                })
            }
        }
    }))
}
