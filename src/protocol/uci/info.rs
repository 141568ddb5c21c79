//! `info` lines, which an engine sends while it searches.

use std::fmt;

use crate::protocol::Words;
use crate::protocol::words::Cursor;

/// An unparsed `info` line. Most lines are never needed, so parsing is deferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoLine<'a>(pub Words<'a>);

impl<'a> InfoLine<'a> {
    /// Parses the line.
    pub fn read(self) -> Info<'a> {
        Info::parse(self.0.iter())
    }
}

/// The content of an `info` line. Every field is optional; times are in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info<'a> {
    /// Search depth in plies.
    pub depth: Option<u32>,
    /// Depth of the deepest line searched, in plies.
    pub seldepth: Option<u32>,
    /// Rank of the line among several best lines, starting from 1.
    pub multipv: Option<u32>,
    /// Score from the point of view of the engine.
    pub score: Option<InfoScore>,
    /// Whether the score is exact or a bound.
    pub bound: InfoBound,
    /// Expected proportions of wins, draws and losses.
    pub wdl: Option<Wdl>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Nodes per second.
    pub nps: Option<u64>,
    /// Used part of the hash table, per mille.
    pub hashfull: Option<u32>,
    /// Positions found in endgame tablebases.
    pub tbhits: Option<u64>,
    /// Positions found in Shredder's endgame databases.
    pub sbhits: Option<u64>,
    /// Load of the processor, per mille.
    pub cpuload: Option<u32>,
    /// Time spent.
    pub time: Option<u64>,
    /// The root move being searched.
    pub currmove: Option<&'a str>,
    /// Number of the root move being searched, starting from 1.
    pub currmovenumber: Option<u32>,
    /// A move and the line that refutes it.
    pub refutation: Option<Words<'a>>,
    /// The line being searched, optionally preceded by the number of a processor.
    pub currline: Option<Words<'a>>,
    /// The principal variation.
    pub pv: Option<Words<'a>>,
    /// Free text, which extends to the end of the line.
    pub string: Option<&'a str>,
}

/// The score of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InfoScore {
    /// Centipawns.
    Cp(i32),
    /// Number of moves to mate; negative if the engine is being mated.
    Mate(i32),
}

/// The relation of a reported score to the true score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InfoBound {
    /// The score is exact.
    #[default]
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// Expected results per mille.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wdl {
    /// Wins.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses.
    pub loss: u16,
}

const KEYWORDS: [&str; 20] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "lowerbound",
    "upperbound",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "sbhits",
    "cpuload",
    "time",
    "currmove",
    "currmovenumber",
    "refutation",
    "currline",
    "pv",
    "string",
];

impl<'a> Info<'a> {
    /// Creates a line of free text.
    pub fn text(string: &'a str) -> Self {
        Self { string: Some(string), ..Self::default() }
    }

    /// Parses the words after `info`. Unknown words are skipped.
    fn parse(mut words: Cursor<'a>) -> Self {
        let mut info = Self::default();
        let line = |words: &mut Cursor<'a>| Some(words.take_until(|_, word| KEYWORDS.contains(&word)));
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = words.number(),
                "seldepth" => info.seldepth = words.number(),
                "multipv" => info.multipv = words.number(),
                "cp" => info.score = words.number().map(InfoScore::Cp),
                "mate" => info.score = words.number().map(InfoScore::Mate),
                "lowerbound" => info.bound = InfoBound::Lower,
                "upperbound" => info.bound = InfoBound::Upper,
                "wdl" => info.wdl = Wdl::parse(&mut words),
                "nodes" => info.nodes = words.number(),
                "nps" => info.nps = words.number(),
                "hashfull" => info.hashfull = words.number(),
                "tbhits" => info.tbhits = words.number(),
                "sbhits" => info.sbhits = words.number(),
                "cpuload" => info.cpuload = words.number(),
                "time" => info.time = words.number(),
                "currmove" => info.currmove = words.next(),
                "currmovenumber" => info.currmovenumber = words.number(),
                "refutation" => info.refutation = line(&mut words),
                "currline" => info.currline = line(&mut words),
                "pv" => info.pv = line(&mut words),
                "string" => {
                    info.string = Some(words.rest());
                    return info;
                }
                _ => {}
            }
        }
        info
    }
}

impl Wdl {
    fn parse(words: &mut Cursor<'_>) -> Option<Self> {
        Some(Self { win: words.number()?, draw: words.number()?, loss: words.number()? })
    }
}

impl fmt::Display for InfoLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "info {}", self.0)
    }
}

/// Formats the whole line, including `info`.
impl fmt::Display for Info<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        field(f, "depth", self.depth)?;
        field(f, "seldepth", self.seldepth)?;
        field(f, "multipv", self.multipv)?;
        field(f, "score", self.score)?;
        match self.bound {
            InfoBound::Exact => {}
            InfoBound::Lower => f.write_str(" lowerbound")?,
            InfoBound::Upper => f.write_str(" upperbound")?,
        }
        if let Some(Wdl { win, draw, loss }) = self.wdl {
            write!(f, " wdl {win} {draw} {loss}")?;
        }
        field(f, "nodes", self.nodes)?;
        field(f, "nps", self.nps)?;
        field(f, "hashfull", self.hashfull)?;
        field(f, "tbhits", self.tbhits)?;
        field(f, "sbhits", self.sbhits)?;
        field(f, "cpuload", self.cpuload)?;
        field(f, "time", self.time)?;
        field(f, "currmove", self.currmove)?;
        field(f, "currmovenumber", self.currmovenumber)?;
        field(f, "refutation", self.refutation)?;
        field(f, "currline", self.currline)?;
        field(f, "pv", self.pv)?;
        field(f, "string", self.string)
    }
}

fn field(f: &mut fmt::Formatter<'_>, name: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {name} {value}"))
}

impl fmt::Display for InfoScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(centipawns) => write!(f, "cp {centipawns}"),
            Self::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Info<'_> {
        InfoLine(Words::new(text)).read()
    }

    #[test]
    fn all_fields_of_a_typical_line_are_read() {
        let info = read(
            "depth 12 seldepth 20 multipv 1 score cp -31 upperbound wdl 5 900 95 nodes 123456 nps 1000000 \
             hashfull 3 tbhits 0 time 123 pv e7e5 g1f3 b8c6",
        );
        assert_eq!((info.depth, info.seldepth, info.multipv), (Some(12), Some(20), Some(1)));
        assert_eq!((info.score, info.bound), (Some(InfoScore::Cp(-31)), InfoBound::Upper));
        assert_eq!(info.wdl, Some(Wdl { win: 5, draw: 900, loss: 95 }));
        assert_eq!((info.nodes, info.nps, info.time), (Some(123_456), Some(1_000_000), Some(123)));
        assert_eq!(info.pv, Some(Words::new("e7e5 g1f3 b8c6")));
    }

    #[test]
    fn fields_after_a_list_of_moves_are_read() {
        let info = read("pv e2e4 e7e5 score mate -3 strange word nodes x depth 4 string depth 5 pv a");
        assert_eq!(info.pv, Some(Words::new("e2e4 e7e5")));
        assert_eq!((info.score, info.depth, info.nodes), (Some(InfoScore::Mate(-3)), Some(4), None));
        assert_eq!(info.string, Some("depth 5 pv a"));
    }
}
