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
    if let Some(hint) = flag_hint(&arguments) {
        return Some(hint.to_owned());
    }
    // `playself texel` has rounds of its own.
    let own_flags = arguments.first() == Some(&"texel");
    let known = |(words, hint): &(&[&str], &str)| {
        let first = arguments.first().is_some_and(|first| words.contains(first));
        let is_foreign = |argument: &&str| argument.starts_with('-') && words.contains(argument);
        let flag = !own_flags && arguments.iter().any(is_foreign);
        (first || flag).then(|| (*hint).to_owned())
    };
    WORDS.iter().find_map(known)
}

/// Returns a hint for flags that name engines or bounds in the manner of another command.
fn flag_hint(arguments: &[&str]) -> Option<&'static str> {
    let has = |flags: &[&str]| {
        arguments.iter().any(|argument| argument.split('=').next().is_some_and(|flag| flags.contains(&flag)))
    };
    let (&command, rest) = arguments.split_first()?;
    let is_test = matches!(command, "sprt" | "plan");
    let is_match = command == "match" || command.starts_with('-');
    if has(&["-white", "-black"]) {
        return Some("flags of playself begin with two dashes: --white ENGINE --black ENGINE");
    }
    if is_test && has(&["--white", "--black"]) {
        return Some("the engines of a test are named by --candidate and --baseline");
    }
    if command == "match" && has(&["--white", "--black"]) {
        return Some(
            "`playself match` names engines by --engine, once for each; `playself --white A --black B` has no command",
        );
    }
    if is_match && has(&["--candidate", "--baseline"]) {
        return Some(
            "--candidate and --baseline name the engines of a test: `playself sprt`; a match has --white and --black",
        );
    }
    if (is_test || is_match) && has(&["--elo0", "--elo1"]) {
        return Some("the bounds of a test are one value: --sprt ELO0,ELO1, for example --sprt 0,5");
    }
    if command == "stats" && rest.first().is_some_and(|first| !first.starts_with('-')) {
        return Some(
            "`playself stats --pgn FILE` counts the games of a file, `playself report RUN` shows the result of a run",
        );
    }
    if command == "match" && rest.len() == 2 && rest.iter().all(|word| !word.starts_with('-')) {
        return Some(
            "`playself match` plays a configuration file; engines are named by --engine, once for each",
        );
    }
    None
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
        for (call, part) in [
            ("sprt --white a --black b", "--candidate and --baseline"),
            ("match --candidate a --baseline b", "--white and --black"),
            ("--candidate=a --baseline=b", "--white and --black"),
            ("match --white a --black b", "--engine"),
            ("sprt --candidate a --baseline b --elo0 0 --elo1 5", "--sprt ELO0,ELO1"),
            ("-white a -black b", "two dashes"),
            ("stats games.pgn", "--pgn FILE"),
            ("match a b", "--engine"),
        ] {
            assert!(hint(call).is_some_and(|hint| hint.contains(part)), "{call}: {:?}", hint(call));
        }
        for own in [
            "--white a --black b",
            "sprt --candidate a --baseline b --sprt 0,5",
            "plan --candidate a --baseline b",
            "stats --wdl 1,2,3 --elo0 0 --elo1 5",
            "simulate sprt --elo 1 --elo0 0 --elo1 5",
            "match a.toml --games 10",
            "match --engine a --engine b --games 2",
            "fastchess -engine cmd=a",
            "report last",
            "engine ace -d 3",
            "texel games.bin --rounds 2",
        ] {
            assert_eq!(hint(own), None, "{own}");
        }
    }
}
