//! A legal move out of a hash of the position: the same at any speed and any concurrency.

use playself::chess::{Move, MoveStyle, Position};
use playself::protocol::uci::{Command, Start};

/// The position an engine was last told, read move by move as the game grows.
#[derive(Debug)]
pub(crate) struct Mover {
    told: String,
    position: Position,
    style: MoveStyle,
    salt: u64,
    /// The move last chosen and how it is spelt: it comes back with the next position.
    chosen: Option<(Move, String)>,
}

impl Mover {
    pub(crate) fn new(salt: u64) -> Self {
        Self {
            told: String::new(),
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

    /// How much of the start of `line` is the position told last; 0 if it begins otherwise.
    pub(crate) fn known(&self, line: &[u8]) -> usize {
        if line.starts_with(self.told.as_bytes()) { self.told.len() } else { 0 }
    }

    /// Takes in a whole `position` line.
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
        self.told.clear();
        self.told.push_str(line);
    }

    /// Takes in what is new in a `position` line after what is [`Mover::known`] of it.
    pub(crate) fn go_on(&mut self, news: &str) {
        self.play_all(news);
        self.told.push_str(news);
    }

    fn play_all(&mut self, moves: &str) {
        for word in moves.split_ascii_whitespace().filter(|word| *word != "moves") {
            self.push(word);
        }
    }

    fn push(&mut self, word: &str) {
        // Chosen in this very position, so it needs no second look.
        if let Some((mv, _)) = self.chosen.take_if(|(_, text)| text == word) {
            self.position = self.position.play(mv);
        } else if let Ok(mv) = self.position.parse_coordinate(word, self.style) {
            self.position = self.position.play(mv);
        }
    }

    /// Starts from a FEN, as an ACE program is told.
    pub(crate) fn start_from(&mut self, fen: &str) {
        if let Ok(position) = Position::from_fen(fen) {
            self.position = position;
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

    /// The move for the position, in UCI's spelling; `None` where there is none.
    pub(crate) fn choose(&mut self) -> Option<&str> {
        let mv = self.pick()?;
        let (_, text) = self.chosen.insert((mv, self.position.coordinate(mv, self.style)));
        Some(text)
    }

    /// The move for the position in ACE's spelling, and plays it.
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

/// A finaliser of a 64-bit hash, so that near keys give far moves.
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}
