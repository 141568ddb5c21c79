//! Details of a search that are recorded only if the plan asks for them.

use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::player::SearchDetail;
use crate::protocol::Words;
use crate::protocol::uci::Info;

/// Details of a search beyond score, depth, nodes and time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchExtra {
    /// Nodes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nps: Option<u64>,
    /// Use of the hash table, per mille.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashfull: Option<u32>,
    /// Hits in endgame tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tbhits: Option<u64>,
    /// Time that the engine reported, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// The expected line of play.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pv: String,
    /// The last line that each pattern matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

impl SearchExtra {
    fn of_info(info: &Info<'_>) -> Self {
        let pv: Vec<&str> = info.pv.into_iter().flat_map(Words::iter).collect();
        Self {
            nps: info.nps,
            hashfull: info.hashfull,
            tbhits: info.tbhits,
            time_ms: info.time,
            pv: pv.join(" "),
            lines: Vec::new(),
        }
    }
}

impl SearchDetail {
    /// Returns the first pattern that cannot be used, with the reason.
    pub fn wrong_pattern(&self) -> Option<String> {
        let wrong =
            |text: &String| Regex::new(text).err().map(|error| format!("`{text}` is not a pattern: {error}"));
        self.lines.iter().find_map(wrong)
    }
}

/// Collects the details of one search after the other.
#[derive(Debug, Default)]
pub(super) struct ExtraCollector {
    extras: bool,
    patterns: Vec<(Regex, Option<String>)>,
}

impl ExtraCollector {
    pub(super) fn new(detail: &SearchDetail) -> Self {
        let patterns = detail.lines.iter().filter_map(|text| Some((Regex::new(text).ok()?, None)));
        Self { extras: detail.extras, patterns: patterns.collect() }
    }

    /// Notes a line of the current search.
    pub(super) fn note(&mut self, line: &[u8]) {
        for (pattern, kept) in &mut self.patterns {
            let text = String::from_utf8_lossy(line);
            if pattern.is_match(&text) {
                *kept = Some(text.chars().filter(|letter| !letter.is_control()).collect());
            }
        }
    }

    /// Returns the details of the search that has ended, if they are recorded.
    pub(super) fn take(&mut self, info: Option<&Info<'_>>) -> Option<Box<SearchExtra>> {
        if !self.extras && self.patterns.is_empty() {
            return None;
        }
        let mut extra = info.filter(|_| self.extras).map(SearchExtra::of_info).unwrap_or_default();
        extra.lines = self.patterns.iter_mut().filter_map(|(_, kept)| kept.take()).collect();
        (extra != SearchExtra::default()).then(|| Box::new(extra))
    }
}
