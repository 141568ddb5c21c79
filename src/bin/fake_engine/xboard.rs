//! The xboard protocol of the fake engine, used from the command `xboard` on.

use std::io::Write;
use std::thread;

use playself::chess::MoveStyle;
use playself::protocol::xboard::Command;

use crate::script::Event;
use crate::{Engine, Next, write_out};

/// State of the xboard protocol.
#[derive(Debug, Default)]
pub(crate) struct XboardSide {
    playing: bool,
    ping: u64,
    opponent_move: String,
}

/// The features announced by default.
const FEATURES: &str = "feature ping=1 setboard=1 usermove=1 memory=1 nps=1 sigint=0 colors=0 \
    variants=\"normal,fischerandom\" myname=\"fake\"\nfeature option=\"Weight -spin 5 0 100\"\n\
    feature option=\"Style -combo Solid /// *Risky\" option=\"Quiet -check 0\" done=1\n";

impl Engine {
    pub(crate) fn xboard_line(&mut self, line: &str) -> Next {
        let side = self.xboard.get_or_insert_default();
        let event = match Command::parse(line) {
            Command::Protover(_) => Event::Protover,
            Command::New => {
                side.playing = true;
                self.mover.restart();
                Event::NewGame
            }
            Command::SetBoard(fen) => {
                self.mover.start_from(fen);
                Event::Position
            }
            Command::Variant("fischerandom") => {
                self.mover.set_style(MoveStyle::Chess960);
                return Next::Listen;
            }
            Command::Force => {
                side.playing = false;
                return Next::Listen;
            }
            Command::Go => {
                side.playing = true;
                Event::Go
            }
            Command::UserMove(mv) => {
                mv.clone_into(&mut side.opponent_move);
                Event::UserMove
            }
            Command::Unknown(mv) if (4..=5).contains(&mv.len()) => {
                mv.clone_into(&mut side.opponent_move);
                Event::UserMove
            }
            Command::Ping(number) => {
                side.ping = number;
                Event::Ping
            }
            Command::Option { .. } | Command::Memory(_) | Command::Cores(_) => Event::SetOption,
            Command::MoveNow => Event::Stop,
            Command::Result(_) => Event::Result,
            Command::Quit => Event::Quit,
            _ => return Next::Listen,
        };
        self.event(event, line)
    }

    pub(crate) fn answer_xboard(&mut self, event: Event) {
        let Some(side) = &self.xboard else { return };
        match event {
            Event::Ping => write_out(format!("pong {}\n", side.ping).as_bytes()),
            _ => write_out(FEATURES.as_bytes()),
        }
    }

    /// Plays the opponent's move and, outside force mode, answers it.
    pub(crate) fn obey_user_move(&mut self) -> Next {
        let Some(side) = &mut self.xboard else { return Next::Listen };
        let (mv, playing) = (std::mem::take(&mut side.opponent_move), side.playing);
        self.mover.play(&mv);
        if playing { self.event(Event::Go, "") } else { Next::Listen }
    }

    pub(crate) fn play_xboard(&mut self) {
        if !self.sleep.is_zero() {
            thread::sleep(self.sleep);
        }
        self.out.clear();
        if let Some(score) = self.score {
            let _ = writeln!(self.out, "1 {score} 0 20 a1a1");
        }
        let Some(best) = self.mover.choose() else { return };
        let _ = writeln!(self.out, "move {best}");
        write_out(&self.out);
        self.mover.play_chosen();
    }
}
