//! Streaming reader for the games of a PGN source.

use std::io::BufRead;

use crate::chess::Position;
use crate::chess::fen::Clocks;
use crate::chess::pgn::lexer::{Lexer, MAX_TEXT_BYTES, Place, Token};
use crate::chess::pgn::{PgnError, PgnGame, PgnMove, PgnProblem};

/// Maximum number of half-moves of a game; the 75-move rule ends the longest possible game before.
const MAX_PLIES: usize = 20_000;
const MAX_TAGS: usize = 1_000;
/// Maximum number of bytes of the tags of one game, and of its comments.
const MAX_GAME_TEXT_BYTES: usize = 16 * MAX_TEXT_BYTES;

/// An iterator over the games of a PGN source.
///
/// Holds one game in memory at a time. Skips variations, escaped lines, a byte-order mark and text between games, and
/// accepts Unix and DOS line endings. An error affects one game only: it is returned with its line, and the iteration
/// continues with the next game. An I/O error ends the iteration after it is returned.
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    game_place: Place,
    /// The first tag of the next game, if it was read while moves were expected.
    early_tag: Option<(Place, (String, String))>,
    open_variations: Vec<u64>,
    broken: bool,
}

impl<R: BufRead> PgnReader<R> {
    /// Creates a reader that starts at the beginning of a source.
    pub fn new(source: R) -> Self {
        Self::starting_at(source, Place::START)
    }

    /// Creates a reader for a source that is already positioned at `place`, a value of [`PgnReader::game_place`].
    pub fn starting_at(source: R, place: Place) -> Self {
        Self {
            lexer: Lexer::new(source, place),
            game_place: place,
            early_tag: None,
            open_variations: Vec::new(),
            broken: false,
        }
    }

    /// Returns the place at which the last returned game begins.
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
                // If the first tag of the next game has been read, the rest of this game has been consumed.
                if self.early_tag.is_none() {
                    self.skip_game()?;
                }
                Err(error)
            }
        }
    }

    /// Skips text between games up to a tag or a first move number. Returns `false` at the end of the source.
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

    /// Reads the tags and returns the line of the `FEN` tag, or the first line of the game if there is none.
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
            // A repeated tag belongs to the next game: this game has no moves.
            if game.tag(&name).is_some() {
                self.early_tag = Some((place, (name, value)));
                return Ok(fen_line);
            }
            text += name.len() + value.len();
            check_limit(place.line, game.tags.len() + 1, MAX_TAGS, "tags")?;
            check_limit(place.line, text, MAX_GAME_TEXT_BYTES, "bytes of tags")?;
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
                    check_limit(line, self.open_variations.len() + 1, 1_000, "nested variations")?;
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
                    check_limit(line, text, MAX_GAME_TEXT_BYTES, "bytes of comments")?;
                    let target = game.moves.last_mut().map_or(&mut game.comment, |last| &mut last.comment);
                    if !target.is_empty() && !comment.is_empty() {
                        target.push(' ');
                    }
                    target.push_str(&comment);
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

    /// Skips the rest of an invalid game, up to its result or the next tag. Comments are skipped as tokens, because a
    /// line inside a comment may look like a tag.
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

/// Sets the starting position from the `FEN` tag, unless a `SetUp` tag of 0 disables it.
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
    check_limit(line, ply + 1, MAX_PLIES, "half-moves")?;
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
