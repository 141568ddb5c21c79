//! `fake-engine`: an engine that plays legal moves immediately and misbehaves as its script describes.
//!
//! The fault tests and benchmarks of the harness use it. All triggers are counts, never times.

mod escape;
mod mover;
mod permits;
mod script;
mod xboard;

use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command as Program, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use clap::Parser;
use mover::Mover;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, pthread_sigmask, raise};
use nix::time::ClockId;
use permits::Permits;
use playself::chess::{Color, MoveStyle};
use script::{Action, Event, Script};
use xboard::XboardSide;

/// Run an engine for tests: immediate legal moves, and faults on demand
#[derive(Debug, Parser)]
#[command(name = "fake-engine")]
struct Call {
    /// Rule, e.g. `on go#5: hang`; may be repeated
    #[arg(long = "on", value_name = "RULE")]
    rules: Vec<String>,
    /// File of rules, one on each line
    #[arg(long)]
    script: Option<PathBuf>,
    /// File that counts the starts of several processes, for rules such as `on start#2`
    #[arg(long)]
    state: Option<PathBuf>,
    /// Time per move in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    sleep_ms: u64,
    /// Folder of permits: the second move of a game takes a file from it and waits until there is one. No folder: no wait
    #[arg(long, value_name = "DIR")]
    permits: Option<PathBuf>,
    /// Seed of the choice of moves
    #[arg(long, default_value_t = 0)]
    salt: u64,
    /// Name sent after `uci`
    #[arg(long, default_value = "fake")]
    name: String,
    /// Send an info line with this score in centipawns before every move
    #[arg(long, allow_hyphen_values = true)]
    score: Option<i32>,
    /// Wait to be killed; used for forked children
    #[arg(long)]
    linger: bool,
    /// With --linger: first create a new session
    #[arg(long)]
    session: bool,
    /// With --linger: first replace the process by the same program N times; meanwhile its environment cannot be read
    #[arg(long, value_name = "N", default_value_t = 0)]
    reborn: u64,
    /// Start a process that has no parent, and exit; it forks again and again with `hop`
    #[arg(long, value_parser = ["stay", "hop"])]
    daemon: Option<String>,
    /// ACE: player of the white pieces
    #[arg(long, value_parser = ["human", "computer"])]
    white: Option<String>,
    /// ACE: player of the black pieces
    #[arg(long, value_parser = ["human", "computer"])]
    black: Option<String>,
    /// ACE: starting position
    #[arg(long)]
    starting: Option<String>,
    /// ACE: accepted and ignored
    #[arg(long)]
    time: Option<String>,
    /// ACE: accepted and ignored
    #[arg(long)]
    nodes: Option<u64>,
    /// ACE: accepted and ignored
    #[arg(long)]
    depth: Option<u32>,
}

fn main() -> ExitCode {
    let call = Call::parse();
    if let Some(kind) = &call.daemon {
        escape::become_daemon(kind == "hop");
    }
    if call.linger {
        if call.session {
            let _ = nix::unistd::setsid();
        }
        if call.reborn > 0 {
            let left = (call.reborn - 1).to_string();
            let _ = program().args(["--linger", "--name", &call.name, "--reborn", &left]).exec();
        }
        hang();
    }
    match Engine::new(&call) {
        Ok(engine) if call.white.is_some() => engine.play_ace(&call),
        Ok(engine) => engine.speak_uci(),
        Err(problem) => {
            let _ = writeln!(io::stderr(), "fake-engine: {problem}");
            ExitCode::from(2)
        }
    }
}

/// The engine's state.
struct Engine {
    script: Script,
    mover: Mover,
    name: String,
    sleep: Duration,
    permits: Option<Permits>,
    score: Option<i32>,
    out: Vec<u8>,
    /// State of the xboard protocol, from the command `xboard` on.
    xboard: Option<XboardSide>,
}

/// Whether to read another command.
enum Next {
    Listen,
    Leave(u8),
}

impl Engine {
    fn new(call: &Call) -> Result<Self, String> {
        let mut text = call.rules.join("\n");
        if let Some(path) = &call.script {
            let file = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            text.push('\n');
            text.push_str(&file);
        }
        let mut script = Script::parse(&text)?;
        if let Some(path) = &call.state {
            // One byte for each start: appending is atomic, so processes that start at once are all counted.
            let counted = fs::OpenOptions::new().append(true).create(true).open(path);
            let before = fs::metadata(path).map_or(0, |meta| meta.len());
            counted.and_then(|mut file| file.write_all(b".")).map_err(|error| error.to_string())?;
            script.set_seen(Event::Start, before);
        }
        let (name, sleep) = (call.name.clone(), Duration::from_millis(call.sleep_ms));
        let mover = Mover::new(call.salt);
        let mut engine = Self {
            script,
            mover,
            name,
            sleep,
            permits: call.permits.clone().map(Permits::new),
            score: call.score,
            out: Vec::with_capacity(256),
            xboard: None,
        };
        engine.event(Event::Start, "");
        Ok(engine)
    }

    fn speak_uci(mut self) -> ExitCode {
        // Reads from the pipe without a buffered reader, because benchmarks with this engine measure the harness.
        let (stdin, mut held, mut filled) = (io::stdin(), vec![0; 64 << 10], 0);
        loop {
            if filled == held.len() {
                held.resize(2 * filled, 0);
            }
            let count = nix::unistd::read(&stdin, &mut held[filled..]).unwrap_or(0);
            if count == 0 {
                return match self.event(Event::Eof, "") {
                    Next::Leave(code) => ExitCode::from(code),
                    Next::Listen => hang(),
                };
            }
            filled += count;
            let mut from = 0;
            // Most of a long `position` line is known already; only the rest is searched for its end.
            while let Some((known, length)) = {
                let rest = &held[from..filled];
                let known = self.mover.known(rest);
                rest[known..].iter().position(|&byte| byte == b'\n').map(|at| (known, known + at))
            } {
                let line = &held[from..from + length];
                from += length + 1;
                if let Next::Leave(code) = self.line(line, known) {
                    return ExitCode::from(code);
                }
            }
            held.copy_within(from..filled, 0);
            filled -= from;
        }
    }

    /// Processes a line whose first `known` bytes are the last `position` line.
    fn line(&mut self, line: &[u8], known: usize) -> Next {
        if known > 0 && line.get(known).is_none_or(|&byte| byte == b' ') {
            self.mover.extend(text(&line[known..]));
            return self.event(Event::Position, "");
        }
        let line = text(line);
        if self.xboard.is_some() || line == "xboard" {
            return self.xboard_line(line);
        }
        let event = match line.split_ascii_whitespace().next().unwrap_or_default() {
            "uci" => Event::Uci,
            "setoption" => Event::SetOption,
            "isready" => Event::IsReady,
            "ucinewgame" => Event::NewGame,
            "position" => Event::Position,
            "go" => Event::Go,
            "stop" => Event::Stop,
            "quit" => Event::Quit,
            _ => return Next::Listen,
        };
        if event == Event::Position {
            self.mover.set(line);
        }
        self.event(event, line)
    }

    fn event(&mut self, event: Event, line: &str) -> Next {
        if event == Event::SetOption && line.contains("UCI_Chess960") {
            let style = if line.ends_with("true") { MoveStyle::Chess960 } else { MoveStyle::Standard };
            self.mover.set_style(style);
        }
        let actions = if self.script.is_empty() { None } else { self.script.on(event) };
        match actions {
            None => self.usual(event),
            Some(actions) => {
                for action in actions {
                    if let Next::Leave(code) = self.act(&action, event) {
                        return Next::Leave(code);
                    }
                }
                Next::Listen
            }
        }
    }

    fn usual(&mut self, event: Event) -> Next {
        match event {
            Event::Uci => {
                let text = format!(
                    "id name {}\nid author playself\noption name Hash type spin default 16 min 1 max 1024\n\
                     option name UCI_Chess960 type check default false\noption name Ponder type check default false\n\
                     option name Weight type spin default 5 min 0 max 100\nuciok\n",
                    self.name
                );
                write_out(text.as_bytes());
            }
            Event::IsReady => write_out(b"readyok\n"),
            Event::Go if self.xboard.is_some() => self.play_xboard(),
            Event::Go => {
                if let Some(permits) = &mut self.permits {
                    permits.wait();
                }
                self.play();
            }
            Event::NewGame => {
                if let Some(permits) = &mut self.permits {
                    permits.moves = 0;
                }
            }
            Event::Quit | Event::Eof => return Next::Leave(0),
            Event::Protover | Event::Ping => self.answer_xboard(event),
            Event::UserMove => return self.obey_user_move(),
            Event::Start | Event::SetOption | Event::Position | Event::Stop | Event::Result => {}
        }
        Next::Listen
    }

    fn play(&mut self) {
        if !self.sleep.is_zero() {
            thread::sleep(self.sleep);
        }
        self.out.clear();
        if let Some(score) = self.score {
            let _ = writeln!(self.out, "info depth 1 seldepth 1 nodes 20 score cp {score} pv a1a1");
        }
        let best = self.mover.choose().unwrap_or("(none)");
        self.out.extend_from_slice(b"bestmove ");
        self.out.extend_from_slice(best.as_bytes());
        self.out.push(b'\n');
        write_out(&self.out);
    }

    fn act(&mut self, action: &Action, event: Event) -> Next {
        match action {
            Action::Write { bytes } => {
                let text = String::from_utf8_lossy(bytes);
                if text.contains("{move}") {
                    let text = text.replace("{move}", self.mover.choose().unwrap_or_default());
                    write_out(text.as_bytes());
                    if self.xboard.is_some() {
                        self.mover.play_chosen();
                    }
                } else {
                    write_out(bytes);
                }
            }
            Action::Play => return self.usual(event),
            Action::Ignore => {}
            Action::Delay(time) => thread::sleep(*time),
            Action::Hang => hang(),
            Action::Exit(code) => std::process::exit(*code),
            Action::Signal(name) => signal(name),
            Action::Flood(count) => (0..count / 4096).for_each(|_| write_out(&[b'f'; 4096])),
            Action::Lines(count, line) => {
                let block = [line.as_slice(), b"\n"].concat().repeat(64);
                (0..count / 64).for_each(|_| write_out(&block));
            }
            Action::Drip(pause) => loop {
                write_out(b"x");
                thread::sleep(*pause);
            },
            Action::Stderr(count) => {
                let chunk = [b'e'; 4096];
                (0..count / 4096).for_each(|_| drop(io::stderr().write_all(&chunk)));
            }
            Action::Close(fd) => drop(nix::unistd::close(*fd)),
            Action::Fork(count) => (0..*count).for_each(|_| fork(&self.name, &["--linger"])),
            Action::ForkSession => fork(&self.name, &["--linger", "--session"]),
            Action::ForkReborn(times) => {
                fork(&self.name, &["--linger", "--session", "--reborn", &times.to_string()]);
            }
            Action::Daemon => escape::start_daemon(&self.name, "stay"),
            Action::Hopper => escape::start_daemon(&self.name, "hop"),
            Action::Escape => escape::escape(),
            Action::Burn(time) => burn(*time),
            Action::Spin => drop(thread::spawn(|| {
                loop {
                    std::hint::spin_loop();
                }
            })),
            Action::Alloc => alloc(),
            Action::Fill(bytes) => fill(*bytes),
            Action::BlockTerm => {
                let mut term = SigSet::empty();
                term.add(Signal::SIGTERM);
                let _ = pthread_sigmask(SigmaskHow::SIG_BLOCK, Some(&term), None);
            }
        }
        Next::Listen
    }

    /// Plays an ACE game: prints its moves, reads those of the other side, and returns the result as exit status.
    fn play_ace(mut self, call: &Call) -> ExitCode {
        if let Some(fen) = &call.starting {
            self.mover.start_from(fen);
        }
        let role = |color: Color| if color == Color::White { &call.white } else { &call.black };
        loop {
            let turn = self.mover.position().turn();
            if let Some(outcome) = self.mover.position().outcome() {
                return ExitCode::from(match outcome.winner() {
                    Some(Color::White) => 2,
                    Some(Color::Black) => 1,
                    None => 0,
                });
            }
            if role(turn).as_deref() == Some("computer") {
                match self.script.on(Event::Go) {
                    None => self.play_ace_move(),
                    Some(actions) => {
                        for action in actions {
                            if action == Action::Play {
                                self.play_ace_move();
                            } else if let Next::Leave(code) = self.act(&action, Event::Go) {
                                return ExitCode::from(code);
                            }
                        }
                    }
                }
            } else {
                let mut line = String::new();
                if io::stdin().read_line(&mut line).unwrap_or(0) == 0 || line.trim() == "exit" {
                    return ExitCode::SUCCESS;
                }
                if !self.mover.play_ace(line.trim()) {
                    let _ = writeln!(io::stderr(), "Invalid move!");
                }
            }
        }
    }

    fn play_ace_move(&mut self) {
        thread::sleep(self.sleep);
        if let Some(text) = self.mover.choose_ace() {
            // The original prints a blank line before its move.
            write_out(format!("\n{text}\n").as_bytes());
        }
    }
}

/// Returns a line without its end; empty if it is not UTF-8, which no command is.
fn text(line: &[u8]) -> &str {
    std::str::from_utf8(line).unwrap_or_default().trim_end()
}

/// Writes to standard output without a buffer.
fn write_out(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        let Ok(count) = nix::unistd::write(io::stdout(), bytes) else { return };
        bytes = &bytes[count..];
    }
}

fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_secs(3600));
    }
}

fn signal(name: &str) {
    if let Ok(signal) = name.parse::<Signal>() {
        // The first signal may run a handler that only removes itself.
        let _ = raise(signal);
        let _ = raise(signal);
    }
}

/// Returns a command that runs this program.
fn program() -> Program {
    Program::new(std::env::current_exe().unwrap_or_default())
}

fn fork(name: &str, args: &[&str]) {
    let streams = || Stdio::inherit();
    let _ = program()
        .args(args)
        .args(["--name", name])
        .stdin(streams())
        .stdout(streams())
        .stderr(streams())
        .spawn();
}

/// Works until it has used `time` of processor time, however long that takes.
fn burn(time: Duration) {
    let clock = ClockId::CLOCK_THREAD_CPUTIME_ID;
    let used = || clock.now().map_or(Duration::MAX, Duration::from);
    let end = used().saturating_add(time);
    while used() < end {
        std::hint::spin_loop();
    }
}

fn alloc() {
    let mut held = Vec::new();
    loop {
        held.push(vec![1_u8; 16 << 20]);
    }
}

fn fill(bytes: u64) {
    let Ok(mut file) = fs::File::create("fill.bin") else { return };
    let chunk = vec![0; 1 << 20];
    for _ in 0..bytes >> 20 {
        if file.write_all(&chunk).is_err() {
            return;
        }
    }
}
