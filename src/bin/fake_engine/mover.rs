//! Chooses a legal move by a hash of the position, so that games do not depend on speed or concurrency.

use playself::chess::{Move, MoveStyle, Position};
use playself::protocol::uci::{Command, Start};

/// The position of the last `position` line, updated incrementally.
#[derive(Debug)]
pub(crate) struct Mover {
    line: String,
    position: Position,
    style: MoveStyle,
    salt: u64,
    /// The move chosen last with its text; it is usually the first new move of the next `position` line.
    chosen: Option<(Move, String)>,
}

impl Mover {
    pub(crate) fn new(salt: u64) -> Self {
        Self {
            line: String::new(),
            position: Position::startpos(),
            style: MoveStyle::Standard,
            salt,
            chosen: None,
        }
    }

    pub(crate) fn set_style(&mut self, style: MoveStyle) {
        self.style = style;
    }

    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the length of the last `position` line if `line` begins with it, else 0.
    pub(crate) fn known(&self, line: &[u8]) -> usize {
        if line.starts_with(self.line.as_bytes()) { self.line.len() } else { 0 }
    }

    /// Processes a whole `position` line.
    pub(crate) fn set(&mut self, line: &str) {
        let Command::Position { start, moves } = Command::parse(line) else { return };
        self.chosen = None;
        self.position = match start {
            Start::Standard => Position::startpos(),
            Start::Fen(fen) => {
                let fen: Vec<&str> = fen.as_str().split_whitespace().collect();
                Position::from_fen(&fen.join(" ")).unwrap_or_else(|_| Position::startpos())
            }
        };
        self.play_all(moves.as_str());
        self.line.clear();
        self.line.push_str(line);
    }

    /// Processes the part of a `position` line after its [`Mover::known`] part.
    pub(crate) fn extend(&mut self, rest: &str) {
        self.play_all(rest);
        self.line.push_str(rest);
    }

    fn play_all(&mut self, moves: &str) {
        for word in moves.split_ascii_whitespace().filter(|word| *word != "moves") {
            self.push(word);
        }
    }

    fn push(&mut self, word: &str) {
        // It was chosen in this position, so its text need not be parsed.
        if let Some((mv, _)) = self.chosen.take_if(|(_, text)| text == word) {
            self.position = self.position.play(mv);
        } else if let Ok(mv) = self.position.parse_coordinate(word, self.style) {
            self.position = self.position.play(mv);
        }
    }

    /// Starts an ACE or xboard game from a FEN.
    pub(crate) fn start_from(&mut self, fen: &str) {
        if let Ok(position) = Position::from_fen(fen) {
            self.position = position;
        }
    }

    /// Begins an xboard game.
    pub(crate) fn restart(&mut self) {
        self.position = Position::startpos();
        self.style = MoveStyle::Standard;
        self.chosen = None;
    }

    /// Plays a move in coordinates, or castling as `O-O`.
    pub(crate) fn play(&mut self, word: &str) {
        match self.position.parse_san(word) {
            Ok(mv) if word.starts_with('O') => self.position = self.position.play(mv),
            _ => self.push(word),
        }
    }

    /// Plays the move that [`Mover::choose`] has chosen.
    pub(crate) fn play_chosen(&mut self) {
        if let Some((mv, _)) = self.chosen.take() {
            self.position = self.position.play(mv);
        }
    }

    /// Plays an ACE move; `false` if it is not legal here.
    pub(crate) fn play_ace(&mut self, word: &str) -> bool {
        match self.position.parse_ace(word) {
            Ok(mv) => {
                self.position = self.position.play(mv);
                true
            }
            Err(_) => false,
        }
    }

    /// Returns the move for the position in UCI notation; `None` if there is no legal move.
    pub(crate) fn choose(&mut self) -> Option<&str> {
        let mv = self.pick()?;
        let (_, text) = self.chosen.insert((mv, self.position.coordinate(mv, self.style)));
        Some(text)
    }

    /// Plays the move for the position and returns it in ACE notation.
    pub(crate) fn choose_ace(&mut self) -> Option<String> {
        let mv = self.pick()?;
        let text = self.position.ace(mv);
        self.position = self.position.play(mv);
        Some(text)
    }

    fn pick(&self) -> Option<Move> {
        self.position.pick_legal_move(|count| mix(self.position.key() ^ self.salt) % count)
    }
}

/// Mixes a 64-bit hash, so that similar keys choose different moves.
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}
