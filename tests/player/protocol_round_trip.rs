//! Property tests of the protocols: what is printed parses to the same value, and no input makes a parser panic.

use playself::chess::ByColor;
use playself::protocol::ace::Line;
use playself::protocol::uci::{
    CheckStatus, Command, GoLimits, Horizon, Info, InfoBound, InfoScore, OptionDeclaration, OptionKind,
    Reply, Start, Switch, Wdl,
};
use playself::protocol::{Words, xboard};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

/// Every keyword of both directions, for lines that are nearly valid.
const VOCABULARY: &str = "uci debug on off isready setoption name value register later code ucinewgame position \
    startpos fen moves go searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite \
    perft stop ponderhit quit id author uciok readyok bestmove (none) 0000 copyprotection registration checking \
    ok error info seldepth multipv score cp lowerbound upperbound wdl nps hashfull tbhits sbhits cpuload time \
    currmove currmovenumber refutation currline pv string option type check spin combo button default min max \
    var <empty> true feature ping=1 option=\"A -spin 3\" done=0 protover level 0:08 st sd usermove pong Illegal Error \
    (x): Invalid 1-0 {x} ... tellics resign offer draw -combo /// * e2e4 e7e8q e1g1Ch1 O-O exit -1 0 99999999999999999999999 -99999999999999999999 1.5 \0 \r é \
    \u{feff} \u{a0}";

fn vocabulary() -> Vec<&'static str> {
    VOCABULARY.split(' ').collect()
}

fn mv() -> impl Strategy<Value = String> {
    "[a-h][1-8][a-h][1-8][qrbn]?"
}

fn moves() -> impl Strategy<Value = String> {
    vec(mv(), 0..6).prop_map(|moves| moves.join(" "))
}

/// Words that are not keywords of the protocol: they start with a capital.
fn name() -> impl Strategy<Value = String> {
    vec("[A-Z][A-Za-z0-9_]{0,8}", 1..4).prop_map(|words| words.join(" "))
}

fn fen() -> impl Strategy<Value = String> {
    "[rnbqkpRNBQKP1-8]{1,8}(/[rnbqkpRNBQKP1-8]{1,8}){7} [wb] (-|K?Q?k?q) - [0-9]{1,2} [0-9]{1,3}"
}

fn millis() -> impl Strategy<Value = Option<i64>> {
    of(any::<i64>())
}

prop_compose! {
    fn horizon()(kind in 0..3) -> Horizon {
        [Horizon::Limits, Horizon::Infinite, Horizon::Ponder][kind as usize]
    }
}

proptest! {
    #[test]
    fn a_go_command_round_trips(
        times in (millis(), millis(), millis(), millis(), millis()),
        counts in (of(any::<u32>()), of(any::<u32>()), of(any::<u32>()), of(any::<u32>())),
        nodes in of(0..i64::MAX as u64),
        horizon in horizon(),
        search in of(moves()),
    ) {
        let command = Command::Go(GoLimits {
            time: ByColor { white: times.0, black: times.1 },
            increment: ByColor { white: times.2, black: times.3 },
            move_time: times.4,
            moves_to_go: counts.0,
            depth: counts.1,
            mate: counts.2,
            perft: counts.3,
            nodes,
            horizon,
            search_moves: search.as_deref().map(Words::new),
        });
        let line = command.to_string();
        prop_assert_eq!(Command::parse(&line), command);
    }

    #[test]
    fn a_position_command_round_trips(fen in of(fen()), moves in moves()) {
        let start = fen.as_deref().map_or(Start::Standard, |fen| Start::Fen(Words::new(fen)));
        let command = Command::Position { start, moves: Words::new(&moves) };
        let line = command.to_string();
        prop_assert_eq!(Command::parse(&line), command);
    }

    #[test]
    fn a_setoption_command_round_trips(name in name(), value in of("([!-~]([ -~]{0,20}[!-~])?)?")) {
        let command = Command::SetOption { name: Words::new(&name), value: value.as_deref() };
        let line = command.to_string();
        prop_assert_eq!(Command::parse(&line), command);
    }

    #[test]
    fn an_option_declaration_round_trips(
        name in name(),
        kind in prop_oneof![
            of(any::<bool>()).prop_map(|default| OptionKind::Check { default }),
            (of(any::<i64>()), of(any::<i64>()), of(any::<i64>()))
                .prop_map(|(default, min, max)| OptionKind::Spin { default, min, max }),
            (of(name()), vec(name(), 0..4)).prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
            Just(OptionKind::Button),
            "([!-~]([ -~]{0,20}[!-~])?)?".prop_map(|default| OptionKind::String { default }),
        ],
    ) {
        let reply = Reply::Option(OptionDeclaration { name, kind });
        let line = reply.to_string();
        prop_assert_eq!(Reply::parse(&line), reply);
    }

    #[test]
    fn a_bestmove_reply_round_trips(best in of(mv()), ponder in of(mv())) {
        let reply = Reply::BestMove { best: best.as_deref(), ponder: ponder.as_deref() };
        let line = reply.to_string();
        prop_assert_eq!(Reply::parse(&line), reply);
    }

    #[test]
    fn an_info_reply_round_trips(
        plies in (of(any::<u32>()), of(any::<u32>()), of(any::<u32>()), of(any::<u32>()), of(any::<u32>())),
        counts in vec(of(0..i64::MAX as u64), 5),
        score in of(prop_oneof![any::<i32>().prop_map(InfoScore::Cp), any::<i32>().prop_map(InfoScore::Mate)]),
        bound in select(vec![InfoBound::Exact, InfoBound::Lower, InfoBound::Upper]),
        wdl in of((any::<u16>(), any::<u16>(), any::<u16>())),
        currmove in of(mv()),
        lines in (of(moves()), of(moves()), of(moves())),
        string in of("[!-~]([ -~]{0,20}[!-~])?"),
        load in of(any::<u32>()),
    ) {
        let (refutation, currline, pv) = lines;
        let info = Info {
            depth: plies.0,
            seldepth: plies.1,
            multipv: plies.2,
            hashfull: plies.3,
            currmovenumber: plies.4,
            cpuload: load,
            score,
            bound,
            wdl: wdl.map(|(win, draw, loss)| Wdl { win, draw, loss }),
            nodes: counts[0],
            nps: counts[1],
            tbhits: counts[2],
            sbhits: counts[3],
            time: counts[4],
            currmove: currmove.as_deref(),
            refutation: refutation.as_deref().map(Words::new),
            currline: currline.as_deref().map(Words::new),
            pv: pv.as_deref().map(Words::new),
            string: string.as_deref(),
        };
        let line = info.to_string();
        let Reply::Info(read) = Reply::parse(&line) else { panic!("{line} is an info") };
        prop_assert_eq!(read.read(), info);
        let printed = read.to_string();
        prop_assert_eq!(Words::new(&printed), Words::new(&line));
    }

    #[test]
    fn known_words_in_any_order_parse_to_a_fixed_point(words in vec(select(vocabulary()), 0..20)) {
        parses_to_a_fixed_point(&words.join(" "));
    }

    #[test]
    fn any_text_parses_to_a_fixed_point(line in any::<String>()) {
        parses_to_a_fixed_point(&line);
    }

    #[test]
    fn any_bytes_parse_to_a_fixed_point(bytes in vec(any::<u8>(), 0..200)) {
        parses_to_a_fixed_point(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_byte_order_mark_behind_separators_is_skipped() {
    for line in ["\u{feff}bestmove e2e4", "\r \u{feff} bestmove e2e4", "\u{feff}\0\u{feff}bestmove e2e4"] {
        assert_eq!(Reply::parse(line), Reply::BestMove { best: Some("e2e4"), ponder: None }, "{line:?}");
    }
    assert_eq!(Command::parse("\t\u{feff}isready"), Command::IsReady);
    parses_to_a_fixed_point("\r \u{feff} bestmove Illegal stop on");
}

/// Parsing does not panic, and the parsed value round-trips.
fn parses_to_a_fixed_point(line: &str) {
    let command = Command::parse(line);
    assert_eq!(Command::parse(&command.to_string()), command, "{line:?}");
    let reply = Reply::parse(line);
    assert_eq!(Reply::parse(&reply.to_string()), reply, "{line:?}");
    if let Reply::Info(info) = reply {
        let read = info.read();
        let again = read.to_string();
        let Reply::Info(again) = Reply::parse(&again) else { panic!("{again:?} is an info") };
        assert_eq!(again.read(), read, "{line:?}");
    }
    let _ = xboard::Command::parse(line).to_string();
    let _ = xboard::option_declaration(line);
    if let xboard::Reply::Features(list) = xboard::Reply::parse(line) {
        assert!(list.iter().count() <= line.len());
    }
    if let Line::Move(word) = Line::parse(line) {
        assert_eq!(Line::parse(word), Line::Move(word));
    }
}

#[test]
fn commands_and_replies_without_fields_round_trip() {
    for command in [
        Command::Uci,
        Command::Debug(Switch::On),
        Command::Debug(Switch::Off),
        Command::IsReady,
        Command::Register(Words::new("name A B code 12")),
        Command::NewGame,
        Command::Stop,
        Command::PonderHit,
        Command::Quit,
        Command::Unknown("perft 5"),
    ] {
        assert_eq!(Command::parse(&command.to_string()), command);
    }
    for reply in [
        Reply::IdName("Name 1.0"),
        Reply::IdAuthor("Some One"),
        Reply::UciOk,
        Reply::ReadyOk,
        Reply::CopyProtection(CheckStatus::Checking),
        Reply::CopyProtection(CheckStatus::Error),
        Reply::Registration(CheckStatus::Ok),
        Reply::Unknown("board art"),
    ] {
        assert_eq!(Reply::parse(&reply.to_string()), reply);
    }
}
