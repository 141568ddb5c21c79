//! Suggestions for misspelt names.

/// The longest word for which a suggestion is looked for, in bytes.
const LONGEST: usize = 256;

/// Returns the name in `known` that is most similar to `word`, ignoring case, or `None` if none is similar enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A text of megabytes is no misspelt name, and comparing it would take minutes.
    if word.len() > LONGEST {
        return None;
    }
    let bound = (word.chars().count() / 3).max(2);
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= bound)
        // Of equally similar names, one that only continues the word is more likely meant.
        .min_by_key(|&(distance, candidate)| (distance, !candidate.to_lowercase().starts_with(&word)))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_an_unrelated_word_finds_none() {
        let known = ["concurrency", "openings", "max_pairs", "mode", "nodes", "tc"];
        for (word, expected) in [
            ("concurency", Some("concurrency")),
            ("opening", Some("openings")),
            ("ndoes", Some("nodes")),
            ("max-pairs", Some("max_pairs")),
            ("ct", Some("tc")),
            ("node", Some("nodes")),
            ("quiescence", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(100 << 20), known), None, "at once");
    }
}
