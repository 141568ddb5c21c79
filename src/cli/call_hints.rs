//! Hints for calls in the manner of other match runners, and for flags of another command.

/// Words of other programs and what they are called here.
const WORDS: [(&[&str], &str); 3] = [
    (
        &["tournament", "round-robin", "roundrobin", "gauntlet"],
        "`playself match` plays tournaments: name three or more engines; --gauntlet lets only the first play the others",
    ),
    (
        &["--rounds", "-rounds"],
        "--games counts single games, two for each opening: --games 20 plays ten rounds",
    ),
    (
        &["selfplay", "play"],
        "`playself --white A --black B` plays two engines, `playself match` a configuration file",
    ),
];

/// Options of fastchess and cutechess-cli that are written with one dash.
const ONE_DASH: [&str; 8] =
    ["-engine", "-each", "-openings", "-sprt", "-pgnout", "-resign", "-draw", "-concurrency"];

/// Returns a hint for the arguments behind the name of the program, if they look like those of another match runner or of
/// another command.
pub fn call_hint<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let arguments: Vec<&str> = arguments.into_iter().collect();
    // The command lines of other match runners, and engines that may have such options themselves.
    if matches!(arguments.first(), Some(&("fastchess" | "cutechess-cli" | "engine"))) {
        return None;
    }
    if arguments.iter().any(|argument| ONE_DASH.contains(argument)) {
        return Some(
            "this looks like a command line of fastchess or cutechess-cli: `playself fastchess …` and `playself cutechess-cli …` \
             take them as they are; see `playself match --help` for the options of playself"
                .to_owned(),
        );
    }
    let tests_two = |argument: &&str| matches!(argument.split('=').next(), Some("--sprt" | "--preset"));
    if arguments.first() == Some(&"tune") && arguments.iter().any(tests_two) {
        return Some(
            "--sprt and --preset test two engines against each other; the test of tuned values is set in [accept]"
                .to_owned(),
        );
    }
    let known = |(words, hint): &(&[&str], &str)| {
        let first = arguments.first().is_some_and(|first| words.contains(first));
        let flag = arguments.iter().any(|argument| argument.starts_with('-') && words.contains(argument));
        (first || flag).then(|| (*hint).to_owned())
    };
    WORDS.iter().find_map(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_other_match_runners_get_a_hint_and_own_calls_none() {
        let hint = |text: &str| call_hint(text.split(' '));
        assert!(
            hint("-engine cmd=a -engine cmd=b -each tc=8")
                .is_some_and(|hint| hint.contains("playself fastchess"))
        );
        assert!(hint("gauntlet a b").is_some_and(|hint| hint.contains("playself match")));
        assert!(hint("tune a.toml --sprt=0,5").is_some_and(|hint| hint.contains("[accept]")));
        assert!(hint("match --rounds 10").is_some_and(|hint| hint.contains("--games 20")));
        for own in [
            "match --engine a --engine b --games 2",
            "fastchess -engine cmd=a",
            "report last",
            "engine ace -d 3",
        ] {
            assert_eq!(hint(own), None, "{own}");
        }
    }
}
