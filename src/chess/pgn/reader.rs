//! A reader that gives the games of a PGN source one by one.

use std::io::BufRead;

use crate::chess::Position;
use crate::chess::fen::Clocks;
use crate::chess::pgn::lexer::{LONGEST_TEXT, Lexer, Place, Token};
use crate::chess::pgn::{PgnError, PgnGame, PgnMove, PgnProblem};

/// No game has more half-moves: the 75-move rule ends the longest before.
const MOST_MOVES: usize = 20_000;
const MOST_TAGS: usize = 1_000;
/// Bytes of tags and comments that one game may have.
const MOST_TEXT: usize = 16 * LONGEST_TEXT;

/// The games of a PGN source, in order.
///
/// Reads as little as it needs and holds one game at a time. It skips variations, escaped lines, a byte-order mark and
/// whatever stands between games, and takes Unix and DOS line ends. A fault costs one game: the reader reports it with
/// its line and goes on with the next game. A source that cannot be read ends the iteration after its error.
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    game_place: Place,
    /// The first tag of the next game, read too early because it stood where moves were due.
    early_tag: Option<(Place, (String, String))>,
    open_variations: Vec<u64>,
    broken: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads a source from its beginning.
    pub fn new(source: R) -> Self {
        Self::starting_at(source, Place::START)
    }

    /// Reads a source that was moved forward to `place`, as [`PgnReader::game_place`] told it earlier.
    pub fn starting_at(source: R, place: Place) -> Self {
        Self {
            lexer: Lexer::new(source, place),
            game_place: place,
            early_tag: None,
            open_variations: Vec::new(),
            broken: false,
        }
    }

    /// Where the game that was given last begins.
    pub fn game_place(&self) -> Place {
        self.game_place
    }

    fn next_game(&mut self) -> Result<Option<PgnGame>, PgnError> {
        if self.lexer.place() == Place::START {
            self.lexer.skip_byte_order_mark()?;
        }
        self.open_variations.clear();
        if self.early_tag.is_none() && !self.find_game()? {
            return Ok(None);
        }
        let mut game = PgnGame::new(Position::startpos());
        let fen_line = match self.read_tags(&mut game) {
            Ok(fen_line) => fen_line,
            Err(error) => {
                self.lexer.skip_line()?;
                self.skip_tag_lines()?;
                self.skip_game()?;
                return Err(error);
            }
        };
        match set_up(&mut game, fen_line).and_then(|()| self.read_moves(&mut game)) {
            Ok(()) => Ok(Some(game)),
            Err(error) => {
                // If the next game's first tag has been read, the rest of this one has been passed.
                if self.early_tag.is_none() {
                    self.skip_game()?;
                }
                Err(error)
            }
        }
    }

    /// Skips what is no game; afterwards a tag or the first move number is next. False at the end of the source.
    fn find_game(&mut self) -> Result<bool, PgnError> {
        loop {
            let Some(byte) = self.lexer.skip_blanks()? else { return Ok(false) };
            self.game_place = self.lexer.place();
            match byte {
                b'[' => return Ok(true),
                b'{' => {
                    self.lexer.comment()?;
                }
                b'0'..=b'9' => {
                    if self.lexer.move_number_is_next()? {
                        return Ok(true);
                    }
                    self.lexer.skip_line()?;
                }
                _ => self.lexer.skip_line()?,
            }
        }
    }

    /// Reads the tags; tells on which line the position is.
    fn read_tags(&mut self, game: &mut PgnGame) -> Result<u64, PgnError> {
        let mut fen_line = self.game_place.line;
        let mut text = 0;
        loop {
            let (place, (name, value)) = match self.early_tag.take() {
                Some(tag) => {
                    self.game_place = tag.0;
                    tag
                }
                None => match self.lexer.skip_blanks()? {
                    Some(b'[') => (self.lexer.place(), self.lexer.tag()?),
                    _ => return Ok(fen_line),
                },
            };
            // A tag that was there already belongs to the next game: this one has no moves.
            if game.tag(&name).is_some() {
                self.early_tag = Some((place, (name, value)));
                return Ok(fen_line);
            }
            text += name.len() + value.len();
            check_limit(place.line, game.tags.len() + 1, MOST_TAGS, "tags")?;
            check_limit(place.line, text, MOST_TEXT, "bytes of tags")?;
            if name == "FEN" {
                fen_line = place.line;
            }
            game.tags.push((name, value));
        }
    }

    fn read_moves(&mut self, game: &mut PgnGame) -> Result<(), PgnError> {
        if self.early_tag.is_some() {
            return Ok(());
        }
        let mut position = game.start;
        let mut text = 0;
        loop {
            let token = self.lexer.token()?;
            let line = self.lexer.place().line;
            let in_main_line = self.open_variations.is_empty();
            match token {
                Token::OpenVariation => {
                    check_limit(line, self.open_variations.len() + 1, 1_000, "variations inside each other")?;
                    self.open_variations.push(line);
                }
                Token::CloseVariation => {
                    if self.open_variations.pop().is_none() {
                        return Err(PgnError::new(line, PgnProblem::UnopenedVariation));
                    }
                }
                Token::NextGame | Token::EndOfInput => {
                    return match self.open_variations.first() {
                        Some(&opened) => Err(PgnError::new(opened, PgnProblem::UnclosedVariation)),
                        None => Ok(()),
                    };
                }
                _ if !in_main_line => {}
                Token::Result(result) => {
                    game.result = Some(result);
                    return Ok(());
                }
                Token::Other(text) => return Err(PgnError::new(line, PgnProblem::Unexpected(text))),
                Token::Move(word, nag) => add_move(game, &mut position, &word, nag, line)?,
                Token::Nag(nag) => {
                    if let Some(last) = game.moves.last_mut() {
                        check_limit(line, last.nags.len() + 1, 100, "annotations on one move")?;
                        last.nags.push(nag);
                    }
                }
                Token::Comment(comment) => {
                    text += comment.len();
                    check_limit(line, text, MOST_TEXT, "bytes of comments")?;
                    let said = game.moves.last_mut().map_or(&mut game.comment, |last| &mut last.comment);
                    if !said.is_empty() && !comment.is_empty() {
                        said.push(' ');
                    }
                    said.push_str(&comment);
                }
            }
        }
    }

    fn skip_tag_lines(&mut self) -> Result<(), PgnError> {
        while self.lexer.skip_blanks()? == Some(b'[') {
            self.lexer.skip_line()?;
        }
        Ok(())
    }

    /// Skips the rest of a faulty game: to its result or to the next tag. Comments are passed over whole, since
    /// a line inside one may look like a tag.
    fn skip_game(&mut self) -> Result<(), PgnError> {
        let mut depth = self.open_variations.len();
        loop {
            match self.lexer.token() {
                Ok(Token::OpenVariation) => depth += 1,
                Ok(Token::CloseVariation) => depth = depth.saturating_sub(1),
                Ok(Token::Result(_)) if depth == 0 => return Ok(()),
                Ok(Token::NextGame | Token::EndOfInput) => return Ok(()),
                Err(error) if matches!(error.problem, PgnProblem::Unreadable(_)) => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// Starts the game where its `FEN` tag says, unless a `SetUp` of 0 says not to.
fn set_up(game: &mut PgnGame, fen_line: u64) -> Result<(), PgnError> {
    if let Some(fen) = game.tag("FEN").filter(|_| game.tag("SetUp") != Some("0")) {
        game.start = Position::from_fen_fields(fen, Clocks::Optional)
            .map_err(|error| PgnError::new(fen_line, PgnProblem::Fen(error)))?;
    }
    Ok(())
}

fn add_move(
    game: &mut PgnGame,
    position: &mut Position,
    word: &str,
    nag: Option<u8>,
    line: u64,
) -> Result<(), PgnError> {
    let ply = game.moves.len();
    check_limit(line, ply + 1, MOST_MOVES, "half-moves")?;
    let mv =
        position.parse_san(word).map_err(|error| PgnError::new(line, PgnProblem::Move { ply, error }))?;
    *position = position.play(mv);
    game.moves.push(PgnMove { nags: nag.into_iter().collect(), ..PgnMove::from(mv) });
    Ok(())
}

fn check_limit(line: u64, found: usize, limit: usize, what: &'static str) -> Result<(), PgnError> {
    if found <= limit { Ok(()) } else { Err(PgnError::new(line, PgnProblem::TooMuch { what, limit })) }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.broken {
            return None;
        }
        let game = self.next_game();
        if let Err(PgnError { problem: PgnProblem::Unreadable(_), .. }) = game {
            self.broken = true;
        }
        game.transpose()
    }
}
