//! More misbehaviour of engines. Whatever they do, the run goes on, only they can lose by it, and nothing is left of them.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use playself::fleet::FleetConfig;
use playself::game::{EngineIndex, TimeControl};

use crate::fault::{fake, faultless, jobs, run, survivors_after_a_second};

/// Rules of one engine each, separated by `|`.
const ATTACKS: [&str; 36] = [
    "on go#2: reply bestmove e2e4 ponder; play",
    "on go#2: reply bestmove e2e4e5; play",
    "on go#2: reply bestmove  {move}  ponder  zzzz",
    "on go#2: reply  bestmove {move}",
    "on go#2: reply BESTMOVE {move}",
    "on go#2: reply bestmove {move}\\0",
    "on go#2: write bestmove\\t{move}\\n",
    "on go#2: write \\xef\\xbb\\xbfbestmove {move}\\n",
    "on go#2: reply bestmove e1e1",
    "on go#2: reply bestmove i9i9",
    "on go#2: reply bestmove ♔♔",
    "on go#2: reply info score cp 99999999999999999999 depth -1 nodes -5 pv; play",
    "on go#2: reply info string bestmove e2e4; play",
    "on go#2: reply info depth 255 seldepth 1000000 multipv 500 score mate 0; play",
    "on go#2: reply option name Late type spin default 1 min 0 max 2; play",
    "on go#2: reply uciok; reply readyok; play",
    "on go#2: reply id name another; play",
    "on go#2: reply copyprotection error; play",
    "on go#2: play; reply readyok; reply bestmove a2a3",
    "on isready#2: reply readyok; reply readyok; reply readyok",
    "on uci: reply id name x; reply uciok; reply uciok",
    "on uci: reply option name A type spin default 9 min 10 max 1; play",
    "on uci: reply option name; reply option type; reply option; play",
    "on uci: lines 6400 option name x type string default y; play",
    "on uci: reply id name \\x1b[2J\\x1b]0\\sgone\\x07; play",
    "on start: stderr 10000000",
    "on go: stderr 100000; play",
    "on go#2: close 2; play",
    "on go#2: close 0; close 1; hang",
    "on go#3: signal SIGTSTP; play",
    "on go#3: signal SIGTTIN; play",
    "on go#2: fork 3; exit 0",
    "on go#2: fork-session; fork-session; signal SIGKILL",
    "on newgame#2: exit 3",
    "on quit: fork-session; hang|on eof: hang",
    "on go#2: daemon; daemon; daemon; exit 9",
];

/// More of them, for `just attack`.
const MORE: [&str; 44] = [
    "on go#2: write bestmove {move}\\r\\n",
    "on go#2: write bestmove {move}\\r",
    "on go#2: write \\n\\n\\nbestmove {move}\\n",
    "on go#2: write bestmove {move} {move} {move} {move}\\n",
    "on go#2: reply bestmove {move}; reply bestmove {move}; reply bestmove {move}",
    "on go#2: reply bestmove null",
    "on go#2: reply bestmove NULL",
    "on go#2: reply bestmove resign",
    "on go#2: reply bestmove 0-0",
    "on go#2: reply bestmove e7e8x",
    "on go#2: reply bestmove e2-e4",
    "on go#2: reply bestmove \\x1b[31me2e4",
    "on go#2: reply bestmoves {move}",
    "on go#2: reply bestmove{move}",
    "on go#2: reply info nodes 1 bestmove {move}; play",
    "on go#2: lines 5000 info depth 1 score cp 1 pv e2e4; play",
    "on go#2: lines 5000 bestmove a1a1",
    "on go#2: lines 2000 readyok; play",
    "on go#2: reply info score mate -99999999999; play",
    "on go#2: reply info score cp nan lowerbound upperbound; play",
    "on go#2: reply info multipv 0 score cp 1; reply info multipv -1 score cp 1; play",
    "on go#2: reply info time 99999999999999999999 nps -1 hashfull 5000; play",
    "on go#2: reply info refutation e2e4 e7e5; reply info currline 9; play",
    "on go#2: reply registration error; reply copyprotection checking; play",
    "on go#2: stderr 3000000; play",
    "on go#2: close 1",
    "on go#2: close 0; play",
    "on go#2: close 1; close 2; hang",
    "on go#2: hang|on stop: reply bestmove {move}",
    "on go#2: hang|on stop: exit 0",
    "on go#2: hang|on stop: flood 100000000",
    "on go#2: signal SIGABRT",
    "on go#2: signal SIGPIPE; play",
    "on go#2: signal SIGTTOU; play",
    "on go#2: signal SIGUSR1; play",
    "on go#2: fork 20; play|on quit: hang",
    "on start: fork-session; play|on go#2: exit 0",
    "on go#2: hopper; exit 3",
    "on go#2: escape; hang",
    "on isready#2: hang",
    "on isready#2: exit 0",
    "on newgame#2: hang|on isready#3: hang",
    "on position#3: exit 139",
    "on position#3: fork-session; signal SIGKILL",
];

#[test]
#[ignore = "takes minutes; `just attack`"]
fn row_20_no_further_misbehaviour_ends_a_run_blames_the_opponent_or_leaves_a_process() {
    all_hold(&MORE);
}

#[test]
fn row_20_no_misbehaviour_ends_a_run_blames_the_opponent_or_leaves_a_process() {
    all_hold(&ATTACKS);
}

fn all_hold(attacks: &[&str]) {
    let (queue, wrong) = (Mutex::new(attacks.iter().enumerate()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((number, attack)) = queue.lock().unwrap().next() else { return };
                    if let Err(why) =
                        std::panic::catch_unwind(|| play(number, attack)).unwrap_or(Err("a panic".into()))
                    {
                        wrong.lock().unwrap().push(format!("{attack}: {why}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), attacks.len(), wrong.join("\n"));
}

fn play(number: usize, attack: &str) -> Result<(), String> {
    let rules: Vec<&str> = attack.split('|').collect();
    let mark = format!("attack-{number}-{}", std::process::id());
    let mut engine = fake(&rules);
    engine.args.extend(["--name".to_owned(), mark.clone()]);
    engine.timeouts.move_cap = Duration::from_millis(800);
    let mut config = FleetConfig::new(vec![engine, faultless()]);
    config.rules.max_moves = Some(6);
    let begun = Instant::now();
    let outcome = run(config, jobs(1, TimeControl::nodes(1)));
    if let Some(fatal) = outcome.fatal {
        return Err(format!("it ended the run: {fatal}"));
    }
    if outcome.games.len() != 2 {
        return Err(format!("{} games, void: {:?}", outcome.games.len(), outcome.voids));
    }
    for (.., game) in &outcome.games {
        let failed =
            game.ending.failed_side().map(|side| if side.index() == 0 { game.white } else { game.black });
        if failed.is_some_and(|engine| engine != EngineIndex(0)) {
            return Err(format!("the opponent lost by {}", game.ending.termination));
        }
    }
    if begun.elapsed() > Duration::from_secs(15) {
        return Err(format!("it took {:?}", begun.elapsed()));
    }
    match survivors_after_a_second(&mark) {
        left if left.is_empty() => Ok(()),
        left => Err(format!("left: {left:?}")),
    }
}
