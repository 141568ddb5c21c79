//! Moves in the order in which they are worth trying, generated only as far as they are asked for.

use crate::chess::{MAX_MOVES, Move, PieceKind, Position};
use crate::engine::search::history::{Histories, Trail};
use crate::engine::search::see::{EXCHANGE_VALUES, exchange_is_at_least};

/// What a picker offers next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PickStage {
    /// The table's move.
    Table,
    /// Makes the captures; offers nothing itself.
    MakeCaptures,
    /// Captures and promotions that lose no material.
    GoodCaptures,
    /// The two quiet moves that cut last at this ply, then the one that answers the last move.
    FirstKiller,
    SecondKiller,
    Counter,
    /// Makes the quiet moves; offers nothing itself.
    MakeQuiets,
    Quiets,
    /// Captures that lose material.
    BadCaptures,
    /// Nothing more.
    Done,
}

/// Which moves a picker offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Every legal move.
    All,
    /// Captures and promotions that win at least so much.
    Captures { at_least: i32 },
    /// Captures that lose nothing, then quiet moves that give check.
    CapturesAndChecks,
}

/// The quiet moves that are tried before all others.
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

/// A move and the number it is sorted by.
#[derive(Clone, Copy)]
pub(super) struct Scored {
    mv: Move,
    score: i32,
}

/// Room for the moves of one node; kept from node to node, because clearing it costs as much as filling it.
pub(super) type Scratch = [Scored; MAX_MOVES];

/// Room for moves that nobody wrote yet.
pub(super) const EMPTY_SCRATCH: Scratch = [Scored { mv: Move::NONE, score: 0 }; MAX_MOVES];

/// A lazy, staged, sorted sequence of a position's legal moves, each offered once.
///
/// The moves live in the scratch that is handed to every call of [`Picker::next`], the same one each time. Until the
/// table's move has been offered nothing is in it, so a search in between may use it too.
pub(super) struct Picker {
    stage: PickStage,
    choice: Choice,
    table: Option<Move>,
    refutations: Refutations,
    trail: Trail,
    next: usize,
    end: usize,
    bad_end: usize,
    quiets_wanted: bool,
}

impl Picker {
    /// `table` must be legal in the position that [`Picker::next`] is asked about.
    pub(in crate::engine) fn new(
        choice: Choice,
        table: Option<Move>,
        refutations: Refutations,
        trail: Trail,
    ) -> Self {
        Self {
            stage: PickStage::Table,
            choice,
            table,
            refutations,
            trail,
            next: 0,
            end: 0,
            bad_end: 0,
            quiets_wanted: true,
        }
    }

    /// The stage of the move offered last.
    pub(super) const fn stage(&self) -> PickStage {
        self.stage
    }

    /// Offers no more quiet moves.
    pub(super) const fn skip_quiets(&mut self) {
        self.quiets_wanted = false;
    }

    /// The next move, or `None` after the last.
    pub(super) fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        scratch: &mut Scratch,
    ) -> Option<Move> {
        loop {
            if !self.quiets_wanted && (PickStage::FirstKiller..=PickStage::Quiets).contains(&self.stage) {
                self.finish_quiets();
            }
            match self.stage {
                PickStage::Table => {
                    self.stage = PickStage::MakeCaptures;
                    if self.table.is_some() {
                        return self.table;
                    }
                }
                PickStage::MakeCaptures => {
                    self.make_captures(position, histories, scratch);
                    self.stage = PickStage::GoodCaptures;
                }
                PickStage::GoodCaptures => match self.good_capture(position, scratch) {
                    Some(mv) => return Some(mv),
                    None => {
                        self.stage = match self.choice {
                            Choice::All => PickStage::FirstKiller,
                            Choice::Captures { .. } => PickStage::Done,
                            Choice::CapturesAndChecks => PickStage::MakeQuiets,
                        };
                    }
                },
                PickStage::FirstKiller => {
                    self.stage = PickStage::SecondKiller;
                    let mv = self.refutations.killers[0];
                    if self.is_fresh_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::SecondKiller => {
                    self.stage = PickStage::Counter;
                    let mv = self.refutations.killers[1];
                    if self.is_fresh_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::Counter => {
                    self.stage = PickStage::MakeQuiets;
                    let mv = self.refutations.counter;
                    if !self.refutations.killers.contains(&mv) && self.is_fresh_refutation(position, mv) {
                        return Some(mv);
                    }
                }
                PickStage::MakeQuiets => {
                    self.make_quiets(position, histories, scratch);
                    self.stage = PickStage::Quiets;
                }
                PickStage::Quiets => match self.best_remaining(scratch) {
                    Some(mv) => return Some(mv),
                    None => self.finish_quiets(),
                },
                PickStage::BadCaptures => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(scratch[self.next - 1].mv);
                    }
                    self.stage = PickStage::Done;
                }
                PickStage::Done => return None,
            }
        }
    }

    fn finish_quiets(&mut self) {
        self.stage = if self.choice == Choice::All { PickStage::BadCaptures } else { PickStage::Done };
        self.next = 0;
    }

    fn is_fresh_refutation(&self, position: &Position, mv: Move) -> bool {
        mv != Move::NONE && Some(mv) != self.table && !mv.is_tactical() && position.is_legal(mv)
    }

    fn make_captures(&mut self, position: &Position, histories: &Histories, scratch: &mut Scratch) {
        let mut made = self.end;
        position.each_legal_capture(|mv| note(scratch, &mut made, mv));
        self.keep(scratch, made, |mv| {
            let taken = taken_kind(position, mv);
            let promoted = mv.promotion().map_or(0, |kind| match kind {
                PieceKind::Queen => 8000,
                _ => -20_000,
            });
            Some(16 * EXCHANGE_VALUES[taken.index()] + histories.capture(mv, taken) + promoted)
        });
    }

    fn make_quiets(&mut self, position: &Position, histories: &Histories, scratch: &mut Scratch) {
        self.next = self.end;
        let (trail, refutations, choice) = (self.trail, self.refutations, self.choice);
        let mut made = self.end;
        position.each_legal_quiet(|mv| note(scratch, &mut made, mv));
        let wanted = |mv: Move| match choice {
            Choice::All => !refutations.contains(mv),
            _ => position.gives_check(mv) && exchange_is_at_least(position, mv, 0),
        };
        self.keep(scratch, made, |mv| wanted(mv).then(|| histories.quiet(mv, &trail)));
    }

    /// Keeps those of the moves made since the end that are wanted, with their scores.
    fn keep(&mut self, scratch: &mut Scratch, made: usize, score: impl Fn(Move) -> Option<i32>) {
        for at in self.end..made {
            let mv = scratch[at].mv;
            if Some(mv) != self.table
                && let Some(score) = score(mv)
            {
                scratch[self.end] = Scored { mv, score };
                self.end += 1;
            }
        }
    }

    /// The best capture that passes its exchange; those that fail move to the front, for later.
    fn good_capture(&mut self, position: &Position, scratch: &mut Scratch) -> Option<Move> {
        let at_least = if let Choice::Captures { at_least } = self.choice { at_least } else { 0 };
        while let Some(mv) = self.best_remaining(scratch) {
            // A well-remembered capture may look slightly bad, an ill-remembered one must look good.
            let record = scratch[self.next - 1].score;
            let threshold = if self.choice == Choice::All { -record / 64 } else { at_least };
            if exchange_is_at_least(position, mv, threshold) {
                return Some(mv);
            }
            scratch[self.bad_end] = scratch[self.next - 1];
            self.bad_end += 1;
        }
        None
    }

    /// Selects the best of what is left, which is cheaper than sorting where a cut comes early.
    fn best_remaining(&mut self, scratch: &mut Scratch) -> Option<Move> {
        let rest = &mut scratch[self.next..self.end];
        let best =
            (0..rest.len()).reduce(|best, at| if rest[at].score > rest[best].score { at } else { best })?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0].mv)
    }
}

/// Writes a move down, its score to come.
#[inline(always)]
fn note(scratch: &mut Scratch, made: &mut usize, mv: Move) {
    if let Some(slot) = scratch.get_mut(*made) {
        *slot = Scored { mv, score: 0 };
        *made += 1;
    }
}

/// What a capture takes; a promotion without capture counts as taking a pawn.
pub(super) fn taken_kind(position: &Position, mv: Move) -> PieceKind {
    if mv.is_en_passant() {
        return PieceKind::Pawn;
    }
    position.piece_at(mv.to()).filter(|_| mv.is_capture()).map_or(PieceKind::Pawn, |piece| piece.kind)
}
