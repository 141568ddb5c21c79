//! Adjudication: ending a game by the engines' scores or by its length, before the rules end it. Endgame tables are in
//! `table_judge`.

use serde::{Deserialize, Serialize};

use crate::chess::{ByColor, Color};
use crate::game::time_control::within;
use crate::game::{Ending, GameResult, TablebaseRule, Termination};
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
    /// Result that endgame tables know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<TablebaseRule>,
    /// How the rules count, and what a fallen flag means.
    #[serde(default, skip_serializing_if = "AdjudicationStyle::is_own")]
    pub style: AdjudicationStyle,
}

/// The match runner whose way of counting the rules follow. The numbers of a rule mean slightly different things there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AdjudicationStyle {
    /// A draw counts every quiet score; a two-sided resignation needs scores of opposite signs; a fallen flag is a draw
    /// against material that can never mate.
    #[default]
    Playself,
    /// A draw counts from the last capture or pawn move, never mate scores; a two-sided resignation ignores the sign of
    /// the scores before the last; a fallen flag always loses.
    Fastchess,
    /// A draw counts from the last capture or pawn move, and moves from the start of the game; the limit on moves includes
    /// the opening.
    Cutechess,
}

impl AdjudicationStyle {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_own(&self) -> bool {
        *self == Self::Playself
    }
}

impl AdjudicationRules {
    /// The most moves that a rule can name; no game is as long.
    pub const MAX_MOVES: u32 = 100_000;

    /// The most centipawns that a rule can name: more than any score.
    pub const MAX_CP: u32 = 1_000_000;

    /// Refuses rules beyond the largest numbers, and rules that would end every game at once.
    pub fn check(&self) -> Result<(), String> {
        let (moves, cp) = (u64::from(Self::MAX_MOVES), u64::from(Self::MAX_CP));
        if let Some(DrawRule { after_move, moves: count, cp: distance }) = self.draw {
            within("draw.after_move", Some(after_move.into()), 0..=moves)?;
            within("draw.moves", Some(count.into()), 1..=moves)?;
            within("draw.cp", Some(distance.into()), 0..=cp)?;
        }
        if let Some(ResignRule { moves: count, cp: distance, .. }) = self.resign {
            within("resign.moves", Some(count.into()), 1..=moves)?;
            within("resign.cp", Some(distance.into()), 0..=cp)?;
        }
        within("max_moves", self.max_moves.map(u64::from), 1..=moves)
    }
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

/// A move of an engine, as adjudication sees it.
#[derive(Clone, Copy, Debug)]
pub struct ObservedMove {
    /// Side that moved.
    pub mover: Color,
    /// Its score, if it could be read.
    pub score: Option<Score>,
    /// Number of the full move.
    pub fullmove: u32,
    /// Half-moves of the game so far, this one and the opening included.
    pub plies: u32,
    /// Whether it was a capture or a pawn move.
    pub irreversible: bool,
}

/// State of adjudication in one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: AdjudicationRules,
    /// Consecutive half-moves with a score near zero.
    quiet: u32,
    /// Consecutive half-moves with a score far from zero.
    clear: u32,
    /// Consecutive moves of each side with a hopeless score and with a winning score.
    hopeless: ByColor<u32>,
    winning: ByColor<u32>,
    plies: u32,
}

impl Adjudicator {
    /// Creates the state before the first move.
    pub fn new(rules: AdjudicationRules) -> Self {
        let none = ByColor { white: 0, black: 0 };
        Self { rules, quiet: 0, clear: 0, hopeless: none, winning: none, plies: 0 }
    }

    /// Processes a move. A move without a readable score breaks every sequence that it could have continued.
    pub fn observe(&mut self, played: &ObservedMove) -> Option<Ending> {
        self.plies += 1;
        let resignation = self.resignation(played);
        let draw = self.draw(played);
        match self.rules.style {
            AdjudicationStyle::Cutechess => draw.or(resignation),
            AdjudicationStyle::Playself | AdjudicationStyle::Fastchess => resignation.or(draw),
        }
        .or_else(|| self.length(played))
    }

    fn resignation(&mut self, played: &ObservedMove) -> Option<Ending> {
        let rule = self.rules.resign?;
        let far = i32::try_from(rule.cp).unwrap_or(i32::MAX);
        let (mover, cp) = (played.mover, played.score.map(Score::as_centipawns));
        let row = |count: u32, holds: Option<bool>| if holds == Some(true) { count + 1 } else { 0 };
        self.hopeless[mover] = row(self.hopeless[mover], cp.map(|cp| cp <= -far));
        self.winning[mover] = row(self.winning[mover], cp.map(|cp| cp >= far));
        self.clear = row(self.clear, cp.map(|cp| cp.unsigned_abs() >= rule.cp));
        let lost_by = |loser: Color| Ending {
            result: GameResult::win_of(!loser),
            termination: Termination::AdjudicatedWin,
        };
        if self.rules.style == AdjudicationStyle::Fastchess {
            let due = match rule.sides {
                ResignSides::One => Color::ALL.iter().any(|&side| self.hopeless[side] >= rule.moves),
                ResignSides::Two => self.clear >= rule.moves.saturating_mul(2),
            };
            return (due && cp.is_some_and(|cp| cp < 0)).then(|| lost_by(mover));
        }
        let loses = |&loser: &Color| {
            let agreed = rule.sides == ResignSides::One || self.winning[!loser] >= rule.moves;
            self.hopeless[loser] >= rule.moves && agreed
        };
        Color::ALL.into_iter().find(loses).map(lost_by)
    }

    fn draw(&mut self, played: &ObservedMove) -> Option<Ending> {
        let rule = self.rules.draw?;
        let style = self.rules.style;
        if played.irreversible && style != AdjudicationStyle::Playself {
            self.quiet = 0;
        }
        let is_quiet = match (style, played.score) {
            (AdjudicationStyle::Fastchess, Some(Score::Mate(_))) | (_, None) => false,
            (_, Some(score)) => score.as_centipawns().unsigned_abs() <= rule.cp,
        };
        self.quiet = if is_quiet { self.quiet + 1 } else { 0 };
        let wanted = rule.moves.saturating_mul(2);
        let due = match style {
            AdjudicationStyle::Playself => played.fullmove >= rule.after_move && self.quiet >= wanted.max(1),
            AdjudicationStyle::Fastchess => {
                let complete = played.fullmove.saturating_sub(u32::from(played.mover == Color::White));
                complete >= rule.after_move && self.quiet >= wanted
            }
            AdjudicationStyle::Cutechess => {
                rule.after_move > 0 && played.plies / 2 >= rule.after_move && self.quiet >= wanted
            }
        };
        due.then_some(Ending { result: GameResult::Draw, termination: Termination::AdjudicatedDraw })
    }

    fn length(&self, played: &ObservedMove) -> Option<Ending> {
        let most = self.rules.max_moves?;
        let plies = if self.rules.style == AdjudicationStyle::Cutechess { played.plies } else { self.plies };
        (plies >= most.saturating_mul(2))
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
                let played = ObservedMove {
                    mover: color,
                    score,
                    fullmove: index as u32 + 1,
                    plies: 2 * index as u32 + 1 + u32::from(color == Color::Black),
                    irreversible: false,
                };
                if let Some(ending) = adjudicator.observe(&played) {
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

    /// The number of the half-move, from 1, at which the game ends; the moves are White's and Black's in turn.
    fn ends_at(rules: &AdjudicationRules, moves: &[(Score, bool)]) -> Option<(usize, GameResult)> {
        let mut adjudicator = Adjudicator::new(rules.clone());
        moves.iter().enumerate().find_map(|(at, &(score, irreversible))| {
            let mover = if at % 2 == 0 { Color::White } else { Color::Black };
            let (fullmove, plies) = (at as u32 / 2 + 1, at as u32 + 1);
            let played = ObservedMove { mover, score: Some(score), fullmove, plies, irreversible };
            adjudicator.observe(&played).map(|ending| (at + 1, ending.result))
        })
    }

    #[test]
    fn the_style_of_fastchess_counts_draws_from_the_last_irreversible_move_and_never_mates() {
        let draw = Some(DrawRule { after_move: 2, moves: 1, cp: 10 });
        let style = AdjudicationStyle::Fastchess;
        let rules = AdjudicationRules { draw, style, ..AdjudicationRules::default() };
        let quiet = (Score::Cp(3), false);
        assert_eq!(ends_at(&rules, &[quiet; 9]), Some((4, GameResult::Draw)), "two whole moves are over");
        let mut capture = [quiet; 9];
        capture[3].1 = true;
        assert_eq!(ends_at(&rules, &capture), Some((5, GameResult::Draw)), "the capture itself counts again");
        let near = DrawRule { after_move: 0, moves: 1, cp: 2_000_000 };
        let rules = AdjudicationRules { draw: Some(near), ..rules };
        assert_eq!(ends_at(&rules, &[(Score::Mate(3), false); 9]), None);
        let first_black = [(Score::Cp(9_999), false), quiet, quiet];
        let rules = AdjudicationRules { draw: Some(DrawRule { cp: 10, ..near }), ..rules };
        assert_eq!(ends_at(&rules, &first_black), Some((3, GameResult::Draw)));
    }

    #[test]
    fn the_style_of_fastchess_takes_a_two_sided_resignation_from_any_clear_scores() {
        let resign = Some(ResignRule { moves: 2, cp: 500, sides: ResignSides::Two });
        let style = AdjudicationStyle::Fastchess;
        let rules = AdjudicationRules { resign, style, ..AdjudicationRules::default() };
        let moves = [600, 700, 600, 700, -600, 5].map(|cp| (Score::Cp(cp), false));
        assert_eq!(ends_at(&rules, &moves), Some((5, GameResult::BlackWins)), "both see themselves ahead");
        let own = AdjudicationRules { style: AdjudicationStyle::Playself, ..rules.clone() };
        assert_eq!(ends_at(&own, &moves), None);
        let mated = [Score::Mate(5), Score::Mate(-5)].map(|score| (score, false));
        assert_eq!(ends_at(&rules, &mated.repeat(3)), Some((4, GameResult::WhiteWins)));
    }

    #[test]
    fn the_style_of_cutechess_counts_from_the_start_of_the_game_and_draws_first() {
        let style = AdjudicationStyle::Cutechess;
        let draw = Some(DrawRule { after_move: 3, moves: 1, cp: 10 });
        let rules = AdjudicationRules { draw, style, max_moves: Some(5), ..AdjudicationRules::default() };
        assert_eq!(ends_at(&rules, &[(Score::Cp(0), false); 20]), Some((6, GameResult::Draw)));
        let off = AdjudicationRules { draw: draw.map(|rule| DrawRule { after_move: 0, ..rule }), ..rules };
        assert_eq!(
            ends_at(&off, &[(Score::Cp(0), false); 20]),
            Some((10, GameResult::Draw)),
            "by its length"
        );
    }
}
