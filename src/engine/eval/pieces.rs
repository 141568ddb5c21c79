//! Knights, bishops, rooks and queens: placement and mobility.

use crate::chess::{
    Bitboard, CastlingSide, Color, PieceKind, Square, between, bishop_attacks, knight_attacks, line,
    rook_attacks,
};
use crate::engine::eval::evaluation::Evaluation;
use crate::engine::eval::pawn_spans::{path, rank_of};
use crate::engine::eval::trace::Trace;

const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);
const CENTRAL_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

impl<'a, T: Trace> Evaluation<'a, T> {
    /// Evaluates all pieces of `us` but king and pawns, and adds their attacks to the map.
    #[inline(always)]
    pub(super) fn pieces(&mut self, us: Color) {
        let [knights, bishops] =
            [PieceKind::Knight, PieceKind::Bishop].map(|kind| self.position.pieces(us, kind));
        let outposts = self.outposts(us);
        self.minors(us, knights, bishops, outposts);
        for square in knights {
            self.knight(us, square, outposts);
        }
        for square in bishops {
            self.bishop(us, square);
        }
        for square in self.position.pieces(us, PieceKind::Rook) {
            self.rook(us, square);
        }
        for square in self.position.pieces(us, PieceKind::Queen) {
            self.queen(us, square);
        }
    }

    /// Evaluates the terms of knights and bishops that can be counted for all of them at once.
    #[inline(always)]
    fn minors(&mut self, us: Color, knights: Bitboard, bishops: Bitboard, outposts: Bitboard) {
        let weights = self.tally.weights;
        self.tally.add(us, &weights.knight_outpost, (outposts & knights).len() as i32);
        self.tally.add(us, &weights.bishop_outpost, (outposts & bishops).len() as i32);
        let behind = (knights | bishops).forward(us) & self.position.by_kind(PieceKind::Pawn);
        self.tally.add(us, &weights.minor_behind_pawn, behind.len() as i32);
    }

    #[inline(always)]
    fn knight(&mut self, us: Color, square: Square, outposts: Bitboard) {
        let weights = self.tally.weights;
        let attacks = self.limit_to_pin(us, square, knight_attacks(square));
        let moves = self.add_attacks(us, PieceKind::Knight, attacks, &weights.danger_knight);
        self.tally.add(us, weights.pst_knight.of(us, square), 1);
        self.tally.add(us, &weights.knight_mobility, moves as i32 - 4);
        self.tally.add(us, &weights.knight_mobility_table[moves.min(8)], 1);

        if !outposts.has(square) && (outposts & attacks).without(self.position.by_color(us)).any() {
            self.tally.add(us, &weights.knight_outpost_reach, 1);
        }
        let distance = i32::from(square.distance(self.position.king(us)));
        self.tally.add(us, &weights.knight_king_distance, distance);
    }

    #[inline(always)]
    fn bishop(&mut self, us: Color, square: Square) {
        let weights = self.tally.weights;
        let position = self.position;
        // Batteries: the attacks of a bishop pass through queens.
        let through_queens =
            bishop_attacks(square, position.occupied().without(position.by_kind(PieceKind::Queen)));
        let attacks = self.limit_to_pin(us, square, through_queens);
        let moves = self.add_attacks(us, PieceKind::Bishop, attacks, &weights.danger_bishop);
        self.tally.add(us, weights.pst_bishop.of(us, square), 1);
        self.tally.add(us, &weights.bishop_mobility, moves as i32 - 6);
        self.tally.add(us, &weights.bishop_mobility_table[moves.min(13)], 1);

        let distance = i32::from(square.distance(position.king(us)));
        self.tally.add(us, &weights.bishop_king_distance, distance);

        let square_colour = if Bitboard::DARK.has(square) { Bitboard::DARK } else { Bitboard::LIGHT };
        let pawns = position.by_kind(PieceKind::Pawn);
        let own_pawns = position.pieces(us, PieceKind::Pawn);
        let on_colour = (own_pawns & square_colour).len() as i32;
        let blocked = own_pawns & position.occupied().forward(!us) & CENTRAL_FILES;
        self.tally.add(us, &weights.bishop_own_pawns, on_colour);
        self.tally.add(us, &weights.bishop_blocked_pawns, on_colour * blocked.len() as i32);
        self.tally.add(us, &weights.bishop_central_pawns, (pawns & CENTRE & square_colour).len() as i32);
        if (bishop_attacks(square, pawns) & CENTRE).more_than_one() {
            self.tally.add(us, &weights.bishop_long_diagonal, 1);
        }
        let xray = bishop_attacks(square, Bitboard::EMPTY) & position.pieces(!us, PieceKind::Pawn);
        self.tally.add(us, &weights.bishop_xray_pawns, xray.len() as i32);
    }

    #[inline(always)]
    fn rook(&mut self, us: Color, square: Square) {
        let weights = self.tally.weights;
        let position = self.position;
        // Batteries: the attacks of a rook pass through queens and own rooks.
        let through = position.by_kind(PieceKind::Queen) | position.pieces(us, PieceKind::Rook);
        let attacks =
            self.limit_to_pin(us, square, rook_attacks(square, position.occupied().without(through)));
        let moves = self.add_attacks(us, PieceKind::Rook, attacks, &weights.danger_rook);
        self.tally.add(us, weights.pst_rook.of(us, square), 1);
        self.tally.add(us, &weights.rook_mobility, moves as i32 - 7);
        self.tally.add(us, &weights.rook_mobility_table[moves.min(14)], 1);

        let file = Bitboard::file(square.file());
        if (file & position.pieces(us, PieceKind::Pawn)).is_empty() {
            let open = (file & position.by_kind(PieceKind::Pawn)).is_empty();
            let term = if open { &weights.rook_open_file } else { &weights.rook_half_open_file };
            self.tally.add(us, term, 1);
        } else if moves <= 3 {
            self.trapped_rook_term(us, square);
        }
        if (file & position.by_kind(PieceKind::Queen)).any() {
            self.tally.add(us, &weights.rook_queen_file, 1);
        }
        let mut partners = path(us, square) & position.pieces(us, PieceKind::Rook);
        let connected = |partner| (between(square, partner) & position.occupied()).is_empty();
        if Iterator::any(&mut partners, connected) {
            self.tally.add(us, &weights.doubled_rooks, 1);
        }
        let pawns_on_seventh = position.pieces(!us, PieceKind::Pawn) & rank_of(us, 6);
        let king_on_eighth = position.king(!us).relative_rank(us) == 7;
        if square.relative_rank(us) == 6 && (king_on_eighth || pawns_on_seventh.any()) {
            self.tally.add(us, &weights.rook_seventh, 1);
        }
        self.behind_passers(us, square);
    }

    #[inline(always)]
    fn queen(&mut self, us: Color, square: Square) {
        let weights = self.tally.weights;
        let position = self.position;
        let occupied = position.occupied();
        let (straight, diagonal) = (rook_attacks(square, occupied), bishop_attacks(square, occupied));
        let attacks = self.limit_to_pin(us, square, straight | diagonal);
        let moves = self.add_attacks(us, PieceKind::Queen, attacks, &weights.danger_queen);
        self.tally.add(us, weights.pst_queen.of(us, square), 1);
        self.tally.add(us, &weights.queen_mobility, moves as i32 - 13);
        self.tally.add(us, &weights.queen_mobility_table[moves.min(27)], 1);

        let file = Bitboard::file(square.file());
        if (file & position.pieces(us, PieceKind::Pawn)).is_empty() {
            let open = (file & position.by_kind(PieceKind::Pawn)).is_empty();
            let term = if open { &weights.queen_open_file } else { &weights.queen_half_open_file };
            self.tally.add(us, term, 1);
        }
        if self.is_exposed(us, square, straight | diagonal) {
            self.tally.add(us, &weights.queen_exposed, 1);
        }
        if square.relative_rank(us) >= 4 && !self.structure.attack_span[(!us).index()].has(square) {
            self.tally.add(us, &weights.queen_infiltration, 1);
        }
    }

    /// Limits the attacks of a pinned piece to the line of the pin.
    #[inline(always)]
    fn limit_to_pin(&self, us: Color, square: Square, attacks: Bitboard) -> Bitboard {
        if self.map.pinned[us.index()].has(square) {
            attacks & line(self.position.king(us), square)
        } else {
            attacks
        }
    }

    /// Adds the attacks of a piece to the map and to the danger of the enemy king. Returns the number of attacked squares
    /// in the mobility area.
    #[inline(always)]
    fn add_attacks(&mut self, us: Color, kind: PieceKind, attacks: Bitboard, danger: &'a i32) -> usize {
        self.map.add(us, kind, attacks);
        let them = !us;
        if (attacks & self.map.ring[them.index()]).any() {
            self.map.ring_attackers[them.index()] += 1;
            self.tally.add_danger(them, danger, 1);
            let near = attacks & self.map.of(them, PieceKind::King);
            self.tally.add_danger(them, &self.tally.weights.danger_near_attack, near.len() as i32);
        }
        (attacks & self.map.mobility_area[us.index()]).len() as usize
    }

    /// Returns the outposts of `us`: squares on its fourth to sixth rank, defended by an own pawn, that no enemy pawn can
    /// attack now or later.
    #[inline(always)]
    fn outposts(&self, us: Color) -> Bitboard {
        let ranks = rank_of(us, 3) | rank_of(us, 4) | rank_of(us, 5);
        ranks & self.map.of(us, PieceKind::Pawn).without(self.structure.attack_span[(!us).index()])
    }

    /// Evaluates a rook with few moves, if it is between its king and the edge.
    #[inline(always)]
    fn trapped_rook_term(&mut self, us: Color, square: Square) {
        let weights = self.tally.weights;
        let king = self.position.king(us);
        let outside = match king.file() < 4 {
            true => square.file() < king.file(),
            false => square.file() > king.file(),
        };
        if !outside || king.relative_rank(us) > 1 {
            return;
        }
        self.tally.add(us, &weights.trapped_rook, 1);
        if CastlingSide::ALL.iter().all(|&side| self.position.castling().rook(us, side).is_none()) {
            self.tally.add(us, &weights.trapped_rook_uncastled, 1);
        }
    }

    #[inline(always)]
    fn behind_passers(&mut self, us: Color, square: Square) {
        let weights = self.tally.weights;
        let on_file = self.structure.passed & Bitboard::file(square.file());
        if on_file.is_empty() {
            return;
        }
        if (on_file & self.position.by_color(us) & path(us, square)).any() {
            self.tally.add(us, &weights.rook_behind_passer, 1);
        }
        if (on_file & self.position.by_color(!us) & path(!us, square)).any() {
            self.tally.add(us, &weights.rook_behind_enemy_passer, 1);
        }
    }

    /// Whether an enemy rook or bishop would attack the queen if the one piece between them moved away.
    #[inline(always)]
    fn is_exposed(&self, us: Color, square: Square, attacks: Bitboard) -> bool {
        let position = self.position;
        let without_first = position.occupied().without(attacks);
        let rooks = position.pieces(!us, PieceKind::Rook);
        let bishops = position.pieces(!us, PieceKind::Bishop);
        let behind_one =
            rook_attacks(square, without_first) & rooks | bishop_attacks(square, without_first) & bishops;
        behind_one.without(attacks).any()
    }
}
