//! Adjudication: ending a game by the engines' scores or by its length, before the rules end it.

use serde::{Deserialize, Serialize};

use crate::chess::{ByColor, Color};
use crate::game::{Ending, GameResult, Termination};
use crate::player::Score;

/// Active adjudication rules; `None` disables a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdjudicationRules {
    /// Draw on which both engines agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<DrawRule>,
    /// Win that the score of the losing engine concedes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignRule>,
    /// Draw after this many full moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_moves: Option<u32>,
}

/// Draws a game once the scores of both engines stay near zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// First full move at which the rule applies.
    pub after_move: u32,
    /// Required number of consecutive full moves, by both engines.
    pub moves: u32,
    /// Maximum distance from zero, in centipawns.
    pub cp: u32,
}

/// Engines whose scores a resignation requires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ResignSides {
    /// The losing engine.
    One,
    /// Both engines, in agreement, so that an engine cannot win by reporting false scores.
    #[default]
    Two,
}

/// Ends a game as a win once the score is hopeless for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResignRule {
    /// Required number of consecutive full moves.
    pub moves: u32,
    /// Minimum distance from zero, in centipawns.
    pub cp: u32,
    /// Engines whose scores are required.
    pub sides: ResignSides,
}

/// State of adjudication in one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: AdjudicationRules,
    /// Consecutive half-moves with a score near zero.
    quiet: u32,
    /// Consecutive moves of each side with a hopeless score and with a winning score.
    hopeless: ByColor<u32>,
    winning: ByColor<u32>,
    plies: u32,
}

impl Adjudicator {
    /// Creates the state before the first move.
    pub fn new(rules: AdjudicationRules) -> Self {
        let none = ByColor { white: 0, black: 0 };
        Self { rules, quiet: 0, hopeless: none, winning: none, plies: 0 }
    }

    /// Processes a move of `mover` with its score and the full-move number. A move without a readable score breaks
    /// every sequence that it could have continued.
    pub fn observe(&mut self, mover: Color, score: Option<Score>, fullmove: u32) -> Option<Ending> {
        self.plies += 1;
        let cp = score.map(Score::as_centipawns);
        self.resignation(mover, cp).or_else(|| self.draw(cp, fullmove)).or_else(|| self.length())
    }

    fn resignation(&mut self, mover: Color, cp: Option<i32>) -> Option<Ending> {
        let rule = self.rules.resign?;
        let far = i32::try_from(rule.cp).unwrap_or(i32::MAX);
        let row = |count: u32, holds: Option<bool>| if holds == Some(true) { count + 1 } else { 0 };
        self.hopeless[mover] = row(self.hopeless[mover], cp.map(|cp| cp <= -far));
        self.winning[mover] = row(self.winning[mover], cp.map(|cp| cp >= far));
        for loser in Color::ALL {
            let agreed = rule.sides == ResignSides::One || self.winning[!loser] >= rule.moves;
            if self.hopeless[loser] >= rule.moves && agreed {
                let result = GameResult::win_of(!loser);
                return Some(Ending { result, termination: Termination::AdjudicatedWin });
            }
        }
        None
    }

    fn draw(&mut self, cp: Option<i32>, fullmove: u32) -> Option<Ending> {
        let rule = self.rules.draw?;
        self.quiet = if cp.is_some_and(|cp| cp.unsigned_abs() <= rule.cp) { self.quiet + 1 } else { 0 };
        let due = fullmove >= rule.after_move && self.quiet >= rule.moves.saturating_mul(2).max(1);
        due.then_some(Ending { result: GameResult::Draw, termination: Termination::AdjudicatedDraw })
    }

    fn length(&self) -> Option<Ending> {
        let most = self.rules.max_moves?;
        (self.plies >= most.saturating_mul(2))
            .then_some(Ending { result: GameResult::Draw, termination: Termination::MaxMoves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(rules: &AdjudicationRules, scores: &[(i32, i32)]) -> Option<(usize, Ending)> {
        let mut adjudicator = Adjudicator::new(rules.clone());
        for (index, &(white, black)) in scores.iter().enumerate() {
            for (color, cp) in [(Color::White, white), (Color::Black, black)] {
                // `i32::MAX` stands for a score that could not be read.
                let score = (cp != i32::MAX).then_some(Score::Cp(cp));
                if let Some(ending) = adjudicator.observe(color, score, index as u32 + 1) {
                    return Some((index + 1, ending));
                }
            }
        }
        None
    }

    fn resign(sides: ResignSides) -> AdjudicationRules {
        let resign = Some(ResignRule { moves: 3, cp: 600, sides });
        AdjudicationRules { resign, ..AdjudicationRules::default() }
    }

    #[test]
    fn a_resignation_needs_consecutive_moves_and_the_engines_it_requires() {
        let [one, two] = [ResignSides::One, ResignSides::Two].map(resign);
        let black_wins = Ending { result: GameResult::BlackWins, termination: Termination::AdjudicatedWin };
        assert_eq!(run(&one, &[(-700, 0); 9]), Some((3, black_wins.clone())), "the loser concedes");
        assert_eq!(run(&two, &[(-700, 0); 9]), None, "the winner does not agree");
        assert_eq!(run(&two, &[(-700, 650); 9]), Some((3, black_wins)));
        assert_eq!(run(&two, &[(10_000, 0); 50]), None, "a claim to win is not enough");
        assert_eq!(
            run(&one, &[(-700, 0), (-700, 0), (-599, 0), (-700, 0), (-700, 0)]),
            None,
            "a broken sequence"
        );
        let unread = (i32::MAX, i32::MAX);
        assert_eq!(
            run(&one, &[(-700, 0), (-700, 0), unread, (-700, 0), (-700, 0)]),
            None,
            "an unreadable score"
        );
    }

    #[test]
    fn a_draw_needs_both_engines_and_its_first_move() {
        let draw = Some(DrawRule { after_move: 5, moves: 2, cp: 20 });
        let rules = AdjudicationRules { draw, ..AdjudicationRules::default() };
        let drawn = Ending { result: GameResult::Draw, termination: Termination::AdjudicatedDraw };
        assert_eq!(run(&rules, &[(20, -20); 9]), Some((5, drawn.clone())), "not before its first move");
        assert_eq!(run(&rules, &[(0, 21); 9]), None, "one engine disagrees");
        let late = [(90, 0), (90, 0), (90, 0), (90, 0), (90, 0), (0, 0), (0, 0)];
        // Black's last quiet move belongs to the same sequence.
        assert_eq!(run(&rules, &late), Some((7, drawn)));
    }

    #[test]
    fn a_game_that_reaches_its_move_limit_is_drawn() {
        let rules = AdjudicationRules { max_moves: Some(3), ..AdjudicationRules::default() };
        let ending = Ending { result: GameResult::Draw, termination: Termination::MaxMoves };
        assert_eq!(run(&rules, &[(0, 0); 9]), Some((3, ending)));
        assert_eq!(run(&AdjudicationRules::default(), &[(0, 0); 900]), None);
    }
}
