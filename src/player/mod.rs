//! Client side of an engine: the harness asks a [`Player`] for a move; engines run only as separate processes.

mod castling;
mod connection;
mod dialogue;
mod engine_files;
mod engine_name;
mod exchange;
mod fault;
mod inherited_variables;
mod line_client;
mod move_text;
mod options;
#[expect(clippy::module_inception, reason = "the file is named after its type, as all files here are")]
mod player;
mod process;
mod score;
mod search_extra;
mod spec;
mod start_fault;
mod tap;
mod timeouts;

pub use castling::Castling;
pub use connection::{BlockingReader, LazyTimer, Serving, Transport};
pub use connection::{CpuUse, ShutdownMode, ShutdownReport, printed_lines};
pub use dialogue::exit_disagrees;
use engine_name::plain_name;
pub use exchange::{
    Answer, DrawOffer, GameStart, Irregularities, MoveReply, Question, SentState, ThinkLimits, ThinkReport,
};
pub use fault::{CrashMoment, ExitEvidence, PlayerFault, ProtocolBreach, StallPoint};
pub use line_client::{LineClient, LineError, ReceivedLine};
pub use move_text::MoveText;
pub use options::{NumberOption, OptionError};
pub use player::{BrokenConnection, Fitness, Player};
pub use process::{
    GuardianProgram, LaunchError, Launcher, ProcessTransport, check_isolation, close_descriptors_at_exec,
    run_guardian,
};
pub use score::Score;
pub use search_extra::SearchExtra;
pub use spec::{
    EngineBookPlan, EngineOption, EngineSpec, Isolation, Pondering, Protocol, Restart, Sandbox, ScoreSide,
    SearchDetail, WorkingDir,
};
pub use start_fault::StartFault;
pub use tap::{DialogueListener, DialogueTap, LineSender, TappedLine};
pub use timeouts::Timeouts;

pub use crate::protocol::uci::{OptionDeclaration, OptionKind};
