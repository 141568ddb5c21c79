//! The outcome of a run in one sentence, as a person would say it.

use crate::report::chart::{grouped, signed};

/// How a run ended, as far as its sentence is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictWord {
    /// The test accepted the candidate.
    Accepted,
    /// The test rejected the candidate.
    Rejected,
    /// The test reached its limit, or was stopped, before deciding.
    Undecided,
    /// There was no test, only a match.
    Measured,
}

impl VerdictWord {
    /// The word of `summary.json`'s `verdict`: `H1`, `H0`, `undecided` or `none`.
    pub fn from_summary(word: &str) -> Self {
        match word {
            "H1" => Self::Accepted,
            "H0" => Self::Rejected,
            "undecided" => Self::Undecided,
            _ => Self::Measured,
        }
    }
}

/// The sentence: `+4.1 ± 2.9 Elo after 8,412 pairs: accepted`.
pub fn verdict_sentence(elo: Option<(f64, f64)>, pairs: u64, verdict: VerdictWord) -> String {
    let strength = match elo {
        Some((elo, error)) if elo.is_finite() && error.is_finite() => {
            format!("{} ± {error:.1} Elo", signed(elo, 1))
        }
        _ => "No Elo yet".to_owned(),
    };
    let count = match pairs {
        1 => "1 pair".to_owned(),
        many => format!("{} pairs", grouped(many)),
    };
    let word = match verdict {
        VerdictWord::Accepted => ": accepted",
        VerdictWord::Rejected => ": rejected",
        VerdictWord::Undecided => ": undecided",
        VerdictWord::Measured => "",
    };
    format!("{strength} after {count}{word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_is_one_a_person_would_say() {
        for (elo, pairs, word, said) in [
            (Some((4.12, 2.93)), 8412, "H1", "+4.1 ± 2.9 Elo after 8,412 pairs: accepted"),
            (Some((-7.0, 6.0)), 1, "H0", "−7.0 ± 6.0 Elo after 1 pair: rejected"),
            (Some((0.0, 6.0)), 50, "none", "0.0 ± 6.0 Elo after 50 pairs"),
            (None, 0, "undecided", "No Elo yet after 0 pairs: undecided"),
        ] {
            assert_eq!(verdict_sentence(elo, pairs, VerdictWord::from_summary(word)), said);
        }
    }
}
