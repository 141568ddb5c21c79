//! One game between two players: clock, referee, adjudication, record.

mod adjudication;
mod clock;
mod engine_books;
mod fault;
mod ids;
mod live;
mod play;
mod record;
mod referee;
mod setup;
mod table_judge;
mod termination;
mod time_control;

pub use adjudication::{
    AdjudicationRules, AdjudicationStyle, Adjudicator, DrawRule, ObservedMove, ResignRule, ResignSides,
};
pub use clock::{Clock, Overrun};
pub use engine_books::{EngineBook, EngineBooks};
pub use fault::{FaultBundle, TimeEvidence, VoidReason, Warning, fault_in_words};
pub use ids::{EngineIndex, GameId, GameOfPair, PairId, PairPart};
pub use live::{LiveGame, LiveSearch};
pub use play::{Anomaly, Contest, GameHost, LivePly, PlayedGame, Spectator, opening_plies, play};
pub use record::{Ending, GameRecord, GameResult, MoveSource, PlyRecord};
pub use referee::{Referee, can_mate};
pub use setup::{GameSetup, GameSetupError};
pub use table_judge::{FiftyMoves, TableJudge, TablebaseResults, TablebaseRule, TablesUnusable};
pub use termination::{Flag, Termination};
pub use time_control::{ClockRule, FirstIncrement, TimeControl, TimeControlError};

pub use crate::opening::Variant;
pub use crate::player::{MoveText, Score, SearchExtra};
