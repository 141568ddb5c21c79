//! What the PGN of a run contains.

use serde::{Deserialize, Serialize};

/// The content of `games.pgn`. The default is that of this program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PgnContent {
    /// Whose tags, comments and line breaks are written.
    pub style: PgnStyle,
    /// The tag `Event`; the name of the run if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The tag `Site`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// How moves are written.
    pub notation: PgnNotation,
    /// How much is written beside the moves.
    pub length: PgnLength,
    /// What the comments state beside score, depth and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<PgnField>>,
    /// Patterns; the last line of each search that one of them matches is part of the comment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub match_lines: Vec<String>,
}

/// Whose tags, comments and line breaks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PgnStyle {
    /// Those of this program.
    #[default]
    Playself,
    /// Those of fastchess.
    Fastchess,
    /// Those of cutechess.
    Cutechess,
}

/// How moves are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PgnNotation {
    /// `Nf3`, as PGN requires.
    #[default]
    San,
    /// `Ng1-f3`, without the hyphen: `Ng1f3`.
    Lan,
    /// `g1f3`.
    Uci,
}

/// How much is written beside the moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PgnLength {
    /// All tags, and a comment on each move.
    #[default]
    Full,
    /// The necessary tags and the moves.
    Min,
}

/// A part of the comment on a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PgnField {
    /// Time left on the clock.
    TimeLeft,
    /// Time beyond what the engine reported.
    Latency,
    /// Nodes searched.
    Nodes,
    /// Selective depth.
    Seldepth,
    /// Nodes per second.
    Nps,
    /// Use of the hash table, per mille.
    Hashfull,
    /// Hits in endgame tables.
    Tbhits,
    /// The expected line of play.
    Pv,
}

impl PgnField {
    /// All fields with their names in run files, in the order of a comment.
    pub const ALL: [(&'static str, Self); 8] = [
        ("time_left", Self::TimeLeft),
        ("latency", Self::Latency),
        ("nodes", Self::Nodes),
        ("seldepth", Self::Seldepth),
        ("nps", Self::Nps),
        ("hashfull", Self::Hashfull),
        ("tbhits", Self::Tbhits),
        ("pv", Self::Pv),
    ];

    /// Returns whether the game record has it only if it was asked for.
    fn is_extra(self) -> bool {
        matches!(self, Self::Latency | Self::Nps | Self::Hashfull | Self::Tbhits | Self::Pv)
    }
}

impl PgnContent {
    /// Returns whether this is the content that a plan need not state.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether comments have this field.
    pub fn has(&self, field: PgnField) -> bool {
        match (&self.fields, self.style) {
            (Some(fields), _) => fields.contains(&field),
            (None, PgnStyle::Playself) => {
                matches!(field, PgnField::TimeLeft | PgnField::Nodes | PgnField::Seldepth)
            }
            (None, PgnStyle::Fastchess | PgnStyle::Cutechess) => false,
        }
    }

    /// Returns whether games must be recorded with more than score, depth, nodes and time of each search.
    pub fn needs_extras(&self) -> bool {
        self.fields.iter().flatten().any(|field| field.is_extra())
    }
}
