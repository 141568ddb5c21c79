//! The verdict of a run's test, and the result of a run in one sentence.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::report::number_text::counted;
use crate::stats::Hypothesis;

/// Verdict of a run, serialised as the `verdict` of `summary.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The test accepted H1: the candidate passed.
    #[serde(rename = "H1")]
    Accepted,
    /// The test accepted H0: the candidate failed.
    #[serde(rename = "H0")]
    Rejected,
    /// The test has not reached a bound.
    #[serde(rename = "undecided")]
    Undecided,
    /// The run has no test.
    #[serde(rename = "none")]
    NoTest,
}

impl Verdict {
    /// Returns the verdict of a test that has accepted this hypothesis, or none so far.
    pub fn of_test(accepted: Option<Hypothesis>) -> Self {
        match accepted {
            None => Self::Undecided,
            Some(Hypothesis::Null) => Self::Rejected,
            Some(Hypothesis::Alternative) => Self::Accepted,
        }
    }

    /// Returns what the verdict means for the candidate, or `None` without a test.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Accepted => Some("accepted"),
            Self::Rejected => Some("rejected"),
            Self::Undecided => Some("undecided"),
            Self::NoTest => None,
        }
    }
}

impl fmt::Display for Verdict {
    /// Writes the word of `summary.json`: `H1`, `H0`, `undecided` or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Returns the result in one sentence: `+4.1 ± 2.9 Elo after 8,412 pairs: accepted`.
pub(super) fn verdict_sentence(elo: &str, pairs: u64, verdict: Verdict) -> String {
    if pairs == 0 {
        return "No pair counted yet".to_owned();
    }
    let strength = match elo.split_once(' ') {
        _ if elo == "–" => "No Elo yet".to_owned(),
        // A bound on the other side of equality would look like a mistake beside such a score.
        Some((">", bound)) if !bound.starts_with('+') => {
            "Every game won, too few to show a difference,".to_owned()
        }
        Some(("<", bound)) if bound.starts_with('+') => {
            "Every game lost, too few to show a difference,".to_owned()
        }
        Some((">", bound)) => format!("Every game won, more than {bound} Elo,"),
        Some(("<", bound)) => format!("Every game lost, less than {bound} Elo,"),
        _ => format!("{elo} Elo"),
    };
    let verdict = verdict.word().map(|word| format!(": {word}")).unwrap_or_default();
    format!("{strength} after {}{verdict}", counted(pairs, "pair"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_the_same_word_in_text_and_in_json() {
        for (verdict, word) in [
            (Verdict::Accepted, "H1"),
            (Verdict::Rejected, "H0"),
            (Verdict::Undecided, "undecided"),
            (Verdict::NoTest, "none"),
        ] {
            assert_eq!(verdict.to_string(), word);
            assert_eq!(serde_json::to_string(&verdict).unwrap(), format!("\"{word}\""));
            assert_eq!(serde_json::from_str::<Verdict>(&format!("\"{word}\"")).unwrap(), verdict);
        }
    }

    #[test]
    fn the_sentence_names_strength_pairs_and_verdict() {
        for (elo, pairs, verdict, expected) in [
            ("+4.1 ± 2.9", 8412, Verdict::Accepted, "+4.1 ± 2.9 Elo after 8,412 pairs: accepted"),
            ("−7.0 ± 6.0", 1, Verdict::Rejected, "−7.0 ± 6.0 Elo after 1 pair: rejected"),
            ("> +95", 4, Verdict::NoTest, "Every game won, more than +95 Elo, after 4 pairs"),
            ("< −95", 4, Verdict::NoTest, "Every game lost, less than −95 Elo, after 4 pairs"),
            ("> −143", 1, Verdict::NoTest, "Every game won, too few to show a difference, after 1 pair"),
            ("< +143", 1, Verdict::NoTest, "Every game lost, too few to show a difference, after 1 pair"),
            ("–", 0, Verdict::Undecided, "No pair counted yet"),
        ] {
            assert_eq!(verdict_sentence(elo, pairs, verdict), expected);
        }
    }
}
