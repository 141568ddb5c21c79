//! Staged move picker: moves in search order, generated only as far as they are needed.

use crate::chess::{CheckSquares, MAX_MOVES, Move, PieceKind, Position};
use crate::engine::search::history::{Histories, QuietContext};
use crate::engine::search::see::{SEE_VALUES, see_at_least};

/// The stage of a picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PickStage {
    /// The table move.
    Table,
    /// Generates the captures; returns no move.
    GenerateCaptures,
    /// Captures and promotions that do not lose material.
    GoodCaptures,
    /// The two quiet moves that last caused a cutoff at this ply.
    FirstKiller,
    SecondKiller,
    /// The quiet move that last refuted the previous move.
    Counter,
    /// Generates the quiet moves; returns no move.
    GenerateQuiets,
    Quiets,
    /// Captures that lose material.
    BadCaptures,
    /// No moves are left.
    Done,
}

/// The moves that a picker returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MoveFilter {
    /// All legal moves.
    All,
    /// Captures and promotions with a static exchange result of at least `at_least`.
    Captures { at_least: i32 },
    /// Captures that do not lose material, then quiet checks.
    CapturesAndChecks,
}

/// The quiet moves that come before all other quiet moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refutations {
    pub(super) killers: [Move; 2],
    pub(super) counter: Move,
}

impl Refutations {
    pub(super) const NONE: Self = Self { killers: [Move::NONE; 2], counter: Move::NONE };

    pub(super) fn contains(&self, mv: Move) -> bool {
        self.killers.contains(&mv) || self.counter == mv
    }
}

/// A move, its ordering score and its slot in the list, in one word.
///
/// The score is in the upper half; below are the slot, counted from the end, and the 24 bits of the move. So the maximum of
/// the words of a list is its best move, and among equal ones the first.
#[derive(Clone, Copy)]
pub(super) struct ScoredMove(i64);

impl ScoredMove {
    /// Less than every move.
    const NONE: Self = Self(i64::MIN);

    #[inline(always)]
    fn new(mv: Move, score: i32, slot: usize) -> Self {
        Self(i64::from(score) << 32 | i64::from(!(slot as u8)) << 24 | i64::from(mv.bits()))
    }

    #[inline(always)]
    const fn mv(self) -> Move {
        Move::from_bits(self.0 as u32)
    }

    #[inline(always)]
    const fn score(self) -> i32 {
        (self.0 >> 32) as i32
    }

    #[inline(always)]
    const fn slot(self) -> usize {
        !((self.0 >> 24) as u8) as usize
    }

    /// Returns the same move with the same score in another slot.
    #[inline(always)]
    fn at(self, slot: usize) -> Self {
        Self::new(self.mv(), self.score(), slot)
    }
}

/// Words that are compared at once when the best move is selected.
const LANES: usize = 8;

/// The move list of one ply; reused from node to node, because clearing it costs as much as filling it. The last moves are
/// followed by [`LANES`] words that are less than every move.
pub(super) type MoveList = [ScoredMove; MAX_MOVES + LANES];

/// An unused move list.
pub(super) const EMPTY_MOVE_LIST: MoveList = [ScoredMove::NONE; MAX_MOVES + LANES];

/// A lazy, staged, sorted sequence of the legal moves of a position, each returned once.
///
/// The moves are stored in the move list passed to [`Picker::next`], which must be the same one in every call. It is
/// unused until after the table move, so a search of the same ply in between may use it too.
pub(super) struct Picker {
    stage: PickStage,
    filter: MoveFilter,
    /// The table move, or [`Move::NONE`].
    table: Move,
    refutations: Refutations,
    quiet_context: QuietContext,
    next: usize,
    end: usize,
    bad_end: usize,
    include_quiets: bool,
}

impl Picker {
    /// Creates a picker; `table` must be legal in the position passed to [`Picker::next`].
    pub(in crate::engine) fn new(
        filter: MoveFilter,
        table: Option<Move>,
        refutations: Refutations,
        quiet_context: QuietContext,
    ) -> Self {
        Self {
            stage: PickStage::Table,
            filter,
            table: table.unwrap_or(Move::NONE),
            refutations,
            quiet_context,
            next: 0,
            end: 0,
            bad_end: 0,
            include_quiets: true,
        }
    }

    /// Returns the stage after the last returned move.
    pub(super) const fn stage(&self) -> PickStage {
        self.stage
    }

    /// Skips the remaining quiet moves.
    pub(super) const fn skip_quiets(&mut self) {
        self.include_quiets = false;
    }

    /// Returns the next move, or `None` after the last.
    pub(super) fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        list: &mut MoveList,
    ) -> Option<Move> {
        loop {
            if !self.include_quiets && (PickStage::FirstKiller..=PickStage::Quiets).contains(&self.stage) {
                self.finish_quiets();
            }
            match self.stage {
                PickStage::Table => {
                    self.stage = PickStage::GenerateCaptures;
                    if self.table != Move::NONE {
                        return Some(self.table);
                    }
                }
                PickStage::GenerateCaptures => {
                    self.generate_captures(position, histories, list);
                    self.stage = PickStage::GoodCaptures;
                }
                PickStage::GoodCaptures => match self.next_good_capture(position, list) {
                    Some(mv) => return Some(mv),
                    None => {
                        self.stage = match self.filter {
                            MoveFilter::All => PickStage::FirstKiller,
                            MoveFilter::Captures { .. } => PickStage::Done,
                            MoveFilter::CapturesAndChecks => PickStage::GenerateQuiets,
                        };
                    }
                },
                PickStage::FirstKiller => {
                    self.stage = PickStage::SecondKiller;
                    let mv = self.refutations.killers[0];
                    if self.is_valid_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::SecondKiller => {
                    self.stage = PickStage::Counter;
                    let mv = self.refutations.killers[1];
                    if self.is_valid_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::Counter => {
                    self.stage = PickStage::GenerateQuiets;
                    let mv = self.refutations.counter;
                    if !self.refutations.killers.contains(&mv) && self.is_valid_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::GenerateQuiets => {
                    self.generate_quiets(position, histories, list);
                    self.stage = PickStage::Quiets;
                }
                PickStage::Quiets => match self.best_remaining(list) {
                    Some(mv) => return Some(mv),
                    None => self.finish_quiets(),
                },
                PickStage::BadCaptures => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(list[self.next - 1].mv());
                    }
                    self.stage = PickStage::Done;
                }
                PickStage::Done => return None,
            }
        }
    }

    fn finish_quiets(&mut self) {
        self.stage = if self.filter == MoveFilter::All { PickStage::BadCaptures } else { PickStage::Done };
        self.next = 0;
    }

    fn is_valid_refutation(&self, position: &Position, mv: Move) -> bool {
        mv != Move::NONE && mv != self.table && !mv.is_tactical() && position.is_legal(mv)
    }

    // Not inlined: in the loop of `next`, the compiler computes what the generation of all kinds of moves needs ahead of the
    // loop, in every call.
    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        let mut generated = self.end;
        position.each_legal_capture(|mv| push_unscored(list, &mut generated, mv));
        self.keep(list, generated, |mv| {
            let captured = captured_kind(position, mv);
            let promoted = mv.promotion().map_or(0, |kind| match kind {
                PieceKind::Queen => 8000,
                _ => -20_000,
            });
            Some(16 * SEE_VALUES[captured.index()] + histories.capture(mv, captured) + promoted)
        });
    }

    // Not inlined, for the same reason.
    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, histories: &Histories, list: &mut MoveList) {
        self.next = self.end;
        let (scores, refutations) =
            (histories.quiet_scores(position.turn(), &self.quiet_context), self.refutations);
        let mut generated = self.end;
        position.each_legal_quiet(|mv| push_unscored(list, &mut generated, mv));
        if self.filter == MoveFilter::All {
            self.keep(list, generated, |mv| (!refutations.contains(mv)).then(|| scores.of(mv)));
            return;
        }
        let checks = CheckSquares::of(position);
        let safe_check = |mv| checks.gives_check(position, mv) && see_at_least(position, mv, 0);
        self.keep(list, generated, |mv| safe_check(mv).then(|| scores.of(mv)));
    }

    /// Keeps the generated moves for which `score` returns a score, except the table move.
    #[inline(always)]
    fn keep(&mut self, list: &mut MoveList, generated: usize, score: impl Fn(Move) -> Option<i32>) {
        let mut end = self.end;
        for at in self.end..generated {
            let mv = list[at].mv();
            if mv != self.table
                && let Some(score) = score(mv)
            {
                list[end] = ScoredMove::new(mv, score, end);
                end += 1;
            }
        }
        list[end..end + LANES].fill(ScoredMove::NONE);
        self.end = end;
        self.select(list);
    }

    /// Returns the best capture that passes the static exchange test. Those that fail are moved to the front of the list,
    /// for the stage of bad captures.
    fn next_good_capture(&mut self, position: &Position, list: &mut MoveList) -> Option<Move> {
        let at_least = if let MoveFilter::Captures { at_least } = self.filter { at_least } else { 0 };
        while let Some(mv) = self.best_remaining(list) {
            // A capture with a good history may lose a little material, one with a bad history must win some.
            let score = list[self.next - 1].score();
            let threshold = if self.filter == MoveFilter::All { -score / 64 } else { at_least };
            if see_at_least(position, mv, threshold) {
                return Some(mv);
            }
            list[self.bad_end] = list[self.next - 1];
            self.bad_end += 1;
        }
        None
    }

    /// Takes the best remaining move and selects the next one, so that [`Picker::upcoming`] knows it.
    #[inline(always)]
    fn best_remaining(&mut self, list: &mut MoveList) -> Option<Move> {
        if self.next >= self.end {
            return None;
        }
        let best = list[self.next];
        self.next += 1;
        self.select(list);
        Some(best.mv())
    }

    /// Swaps the best remaining move with the first one, which is cheaper than sorting if a cutoff comes early.
    #[inline(always)]
    fn select(&self, list: &mut MoveList) {
        if self.next >= self.end {
            return;
        }
        let (chunks, _) = list[self.next..self.end + LANES - 1].as_chunks::<LANES>();
        let lanes = chunks
            .iter()
            .fold([i64::MIN; LANES], |best, chunk| std::array::from_fn(|lane| best[lane].max(chunk[lane].0)));
        let best = ScoredMove(lanes.into_iter().fold(i64::MIN, i64::max));
        list[best.slot()] = list[self.next].at(best.slot());
        list[self.next] = best;
    }

    /// Returns the move that probably comes next, if it has been selected.
    #[inline(always)]
    pub(super) fn upcoming(&self, list: &MoveList) -> Option<Move> {
        let selected =
            matches!(self.stage, PickStage::GoodCaptures | PickStage::Quiets) && self.next < self.end;
        selected.then(|| list[self.next].mv())
    }
}

/// Appends a move without a score.
#[inline(always)]
fn push_unscored(list: &mut MoveList, generated: &mut usize, mv: Move) {
    if *generated < MAX_MOVES {
        list[*generated] = ScoredMove(i64::from(mv.bits()));
        *generated += 1;
    }
}

/// Returns the kind of the captured piece; a promotion without capture counts as the capture of a pawn, and so
/// does en passant, whose target is empty.
pub(super) fn captured_kind(position: &Position, mv: Move) -> PieceKind {
    position.piece_at(mv.to()).filter(|_| mv.is_capture()).map_or(PieceKind::Pawn, |piece| piece.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_keeps_move_score_and_slot() {
        let mv = Position::startpos().legal_moves()[0];
        for (score, slot) in [(0, 0), (-1, 255), (i32::MAX, 17), (i32::MIN, 128)] {
            let word = ScoredMove::new(mv, score, slot);
            assert_eq!((word.mv(), word.score(), word.slot()), (mv, score, slot));
            assert_eq!(word.at(3).slot(), 3);
            assert!(word.0 > ScoredMove::NONE.0);
        }
    }

    #[test]
    fn the_best_move_comes_first_and_among_equal_ones_the_first_in_the_list() {
        let position = Position::startpos();
        let moves = position.legal_moves();
        let mut list = EMPTY_MOVE_LIST;
        let mut picker = Picker::new(MoveFilter::All, None, Refutations::NONE, QuietContext::NONE);
        for (slot, (mv, score)) in moves.iter().zip([-5, 7, -9, 7, 7]).enumerate() {
            list[slot] = ScoredMove::new(*mv, score, slot);
        }
        picker.end = 5;
        picker.select(&mut list);
        let picked: Vec<Move> = std::iter::from_fn(|| picker.best_remaining(&mut list)).collect();
        // Every selection swaps the best move with the first remaining one.
        assert_eq!(picked, [1, 3, 4, 0, 2].map(|slot| moves[slot]));
    }
}
