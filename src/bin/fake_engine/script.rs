//! Rules of misbehaviour: `on <event>[#n|#n+][@game g]: <action>[; <action>]…`.

use std::collections::HashMap;
use std::time::Duration;

/// An event that a rule reacts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    Start,
    Uci,
    SetOption,
    IsReady,
    NewGame,
    Position,
    Go,
    Stop,
    Quit,
    Eof,
    /// Xboard: `protover`.
    Protover,
    /// Xboard: `ping`.
    Ping,
    /// Xboard: a move of the opponent.
    UserMove,
    /// Xboard: `result`.
    Result,
}

/// A reaction to an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Writes a line (or raw bytes) to stdout; `\n`, `\r`, `\0` and `\xNN` are escapes. `{move}` is a legal move.
    Write {
        bytes: Vec<u8>,
    },
    /// The normal reaction.
    Play,
    /// Nothing more for this event.
    Ignore,
    Delay(Duration),
    Hang,
    Exit(i32),
    Signal(String),
    /// Writes this many bytes of one letter, without a line end.
    Flood(u64),
    /// Writes this many lines.
    Lines(u64, Vec<u8>),
    /// Writes a line byte by byte, this many milliseconds apart, without end.
    Drip(Duration),
    /// Writes this many bytes to stderr.
    Stderr(u64),
    Close(i32),
    /// Starts a child that inherits the pipes and does not end on its own.
    Fork(u64),
    /// The same, in a new session.
    ForkSession,
    /// The same, replacing itself by the same program again and again.
    ForkReborn(u64),
    /// Starts a process without environment, parent, group and session of this one.
    Daemon,
    /// Starts a chain of such processes, each of which forks the next one after 0.3 ms and ends.
    Hopper,
    /// Leaves the group, and starts again without environment and without a signal at the death of the parent.
    Escape,
    /// Uses this much processor time.
    Burn(Duration),
    Spin,
    Alloc,
    /// Writes a file in the working directory.
    Fill(u64),
    BlockTerm,
}

#[derive(Clone, Debug)]
struct Rule {
    event: Event,
    first: u64,
    last: u64,
    game: Option<u64>,
    actions: Vec<Action>,
}

/// All rules, with the number of times each event has happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    rules: Vec<Rule>,
    seen: HashMap<Event, u64>,
    game: u64,
}

impl Script {
    /// Parses rules, one on each line; `#` begins a comment line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let rules = lines.map(rule).collect::<Result<_, _>>()?;
        Ok(Self { rules, ..Self::default() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Sets how often earlier processes have seen an event.
    pub(crate) fn set_seen(&mut self, event: Event, times: u64) {
        self.seen.insert(event, times);
    }

    /// Counts an event and returns the reaction; `None` for the normal one.
    pub(crate) fn on(&mut self, event: Event) -> Option<Vec<Action>> {
        if event == Event::NewGame {
            self.game += 1;
        }
        let times = self.seen.entry(event).or_default();
        *times += 1;
        let (times, game) = (*times, self.game);
        let fits = |rule: &&Rule| {
            rule.event == event
                && (rule.first..=rule.last).contains(&times)
                && rule.game.is_none_or(|wanted| wanted == game)
        };
        self.rules.iter().find(fits).map(|rule| rule.actions.clone())
    }
}

fn rule(line: &str) -> Result<Rule, String> {
    let wrong = |what: &str| format!("rule `{line}`: {what}");
    let rest = line.strip_prefix("on ").ok_or_else(|| wrong("it must begin with `on`"))?;
    let (when, actions) = rest.split_once(':').ok_or_else(|| wrong("there is no `:`"))?;
    let (when, game) = match when.split_once('@') {
        None => (when, None),
        Some((when, game)) => {
            let number = game.trim().trim_start_matches("game").trim();
            (when, Some(number.parse().map_err(|_| wrong("the game is not a number"))?))
        }
    };
    let (name, first, last) = match when.split_once('#') {
        None => (when, 1, u64::MAX),
        Some((name, count)) => {
            let (number, open) = count.trim().strip_suffix('+').map_or((count.trim(), false), |n| (n, true));
            let first = number.parse().map_err(|_| wrong("the count is not a number"))?;
            (name, first, if open { u64::MAX } else { first })
        }
    };
    let event = match name.trim() {
        "start" => Event::Start,
        "uci" => Event::Uci,
        "setoption" => Event::SetOption,
        "isready" => Event::IsReady,
        "newgame" => Event::NewGame,
        "position" => Event::Position,
        "go" => Event::Go,
        "stop" => Event::Stop,
        "quit" => Event::Quit,
        "eof" => Event::Eof,
        "protover" => Event::Protover,
        "ping" => Event::Ping,
        "usermove" => Event::UserMove,
        "result" => Event::Result,
        _ => return Err(wrong("no such event")),
    };
    let actions = actions.split(';').map(|text| action(text.trim()).ok_or_else(|| wrong("no such action")));
    Ok(Rule { event, first, last, game, actions: actions.collect::<Result<_, _>>()? })
}

fn action(text: &str) -> Option<Action> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let number = || rest.trim().parse::<u64>().ok();
    let millis = || number().map(Duration::from_millis);
    Some(match word {
        "reply" => Action::Write { bytes: [unescape(rest), b"\n".to_vec()].concat() },
        "write" => Action::Write { bytes: unescape(rest) },
        "play" => Action::Play,
        "ignore" => Action::Ignore,
        "delay" => Action::Delay(millis()?),
        "hang" => Action::Hang,
        "exit" => Action::Exit(rest.trim().parse().ok()?),
        "signal" => Action::Signal(rest.trim().to_owned()),
        "flood" => Action::Flood(number()?),
        "lines" => {
            let (count, line) = rest.split_once(' ')?;
            Action::Lines(count.parse().ok()?, unescape(line))
        }
        "drip" => Action::Drip(millis()?),
        "stderr" => Action::Stderr(number()?),
        "close" => Action::Close(rest.trim().parse().ok()?),
        "fork" => Action::Fork(number().unwrap_or(1)),
        "fork-session" => Action::ForkSession,
        "fork-reborn" => Action::ForkReborn(number()?),
        "daemon" => Action::Daemon,
        "hopper" => Action::Hopper,
        "escape" => Action::Escape,
        "burn" => Action::Burn(millis()?),
        "spin" => Action::Spin,
        "alloc" => Action::Alloc,
        "fill" => Action::Fill(number()?),
        "block-term" => Action::BlockTerm,
        _ => return None,
    })
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = text.bytes();
    while let Some(letter) = letters.next() {
        if letter != b'\\' {
            bytes.push(letter);
            continue;
        }
        match letters.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b's') => bytes.push(b';'),
            Some(b'0') => bytes.push(0),
            Some(b'x') => {
                let digits = [letters.next(), letters.next()].map(|digit| digit.unwrap_or(b'0') as char);
                let text: String = digits.iter().collect();
                bytes.push(u8::from_str_radix(&text, 16).unwrap_or(b'?'));
            }
            other => bytes.extend(other),
        }
    }
    bytes
}
