//! Order of the men in a table, and the number of a position in it.

use crate::chess::{Color, Piece, PieceKind};
use crate::syzygy::Damage;
use crate::syzygy::encoding::{
    KING_PAIRS, LeadingPawns, PIECE_TRIPLES, SquareIndex, binomial, combination, into_triangle, king_pair,
    pawn_number, piece_triple,
};
use crate::syzygy::material::Material;

/// The most men of a table.
pub(super) const MEN: usize = 7;

/// The first group of a numbering.
#[derive(Clone, Debug)]
enum Leading {
    /// Three pieces that are the only ones of their kind and colour.
    Triple,
    /// The two kings.
    Kings,
    /// The pawns of the side with fewer of them, whose first is on one of the files a to d.
    Pawns(LeadingPawns),
}

/// A group of equal men after the first group.
#[derive(Clone, Debug)]
struct Group {
    men: usize,
    /// What one placement of this group adds to the number of a position.
    factor: u64,
    /// Squares at the start of the board that the group cannot use: 8 for pawns.
    unused: u8,
}

/// How the positions of a table, or of one file and side of it, are numbered.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    men: Vec<Piece>,
    leading: Leading,
    leading_men: usize,
    leading_factor: u64,
    groups: Vec<Group>,
    /// The number of positions.
    pub(super) positions: u64,
}

/// The part of a table header that describes one layout.
pub(super) struct LayoutHeader {
    /// Where the leading group and the pawns of the other side stand in the order of the factors.
    pub(super) order: [u8; 2],
    /// The men as tables encode them.
    pub(super) men: Vec<u8>,
    /// The file of the leading pawn, 0 to 3.
    pub(super) file: u8,
}

impl Layout {
    /// Checks a header against the material of its table.
    pub(super) fn new(material: Material, header: &LayoutHeader) -> Result<Self, Damage> {
        let men: Option<Vec<Piece>> = header.men.iter().map(|&code| piece(code)).collect();
        let men = men
            .filter(|men| fits(men, material))
            .ok_or(Damage::Structure("the list of men contradicts the name of the file"))?;
        let (leading, leading_men, leading_placements) = leading_group(&men, material, header.file)?;
        let second = if let Leading::Pawns(_) = leading { run(&men[leading_men..]) } else { 0 };
        let has_second = men.get(leading_men).is_some_and(|next| next.kind == PieceKind::Pawn);
        let mut groups: Vec<(Group, u64)> = Vec::new();
        let mut at = leading_men;
        if has_second {
            let placements = binomial(48 - leading_men as u64, second as u64);
            groups.push((Group { men: second, factor: 0, unused: 8 }, placements));
            at += second;
        }
        while at < men.len() {
            let count = run(&men[at..]);
            let placements = binomial(64 - at as u64, count as u64);
            groups.push((Group { men: count, factor: 0, unused: 0 }, placements));
            at += count;
        }
        let second_place = has_second.then_some(header.order[1]);
        let (leading_factor, positions) =
            assign_factors(&mut groups, leading_placements, header.order[0], second_place)?;
        let groups = groups.into_iter().map(|(group, _)| group).collect();
        Ok(Self { men, leading, leading_men, leading_factor, groups, positions })
    }

    /// Returns the men in the order in which [`Layout::number`] takes their squares.
    pub(super) fn men(&self) -> &[Piece] {
        &self.men
    }

    /// Returns the number of leading men.
    pub(super) fn leading_men(&self) -> usize {
        self.leading_men
    }

    /// Returns the number of the position with these squares, or `None` if they are not those of a position.
    pub(super) fn number(&self, squares: &mut [SquareIndex]) -> Option<u64> {
        let leading = match &self.leading {
            Leading::Triple => {
                into_triangle(squares, 3);
                piece_triple([squares[0], squares[1], squares[2]])
            }
            Leading::Kings => {
                into_triangle(squares, 2);
                king_pair(squares[0], squares[1])?
            }
            Leading::Pawns(pawns) => {
                if squares[0] & 4 != 0 {
                    squares.iter_mut().for_each(|square| *square ^= 7);
                }
                pawns.number(&mut squares[..self.leading_men])
            }
        };
        let (mut number, mut at) = (leading * self.leading_factor, self.leading_men);
        for group in &self.groups {
            let (taken, rest) = squares.split_at_mut(at);
            number += combination(taken, &mut rest[..group.men], group.unused) * group.factor;
            at += group.men;
        }
        Some(number)
    }
}

/// Puts the leading pawn first, and returns its file, 0 to 3 from the edge.
pub(super) fn lead_with_pawn(pawns: &mut [SquareIndex]) -> usize {
    let farthest = (0..pawns.len()).max_by_key(|&place| pawn_number(pawns[place])).unwrap_or(0);
    pawns.swap(0, farthest);
    let file = usize::from(pawns[0] & 7);
    file.min(7 - file)
}

/// Reads a man as tables encode it: 1 to 6 for pawn to king, and 8 more for Black.
fn piece(code: u8) -> Option<Piece> {
    let kind = *PieceKind::ALL.get(usize::from(code & 7).checked_sub(1)?)?;
    match code >> 3 {
        0 => Some(Piece::new(Color::White, kind)),
        1 => Some(Piece::new(Color::Black, kind)),
        _ => None,
    }
}

/// Returns whether the men are those of the material, equal ones side by side.
fn fits(men: &[Piece], material: Material) -> bool {
    let mut at = 0;
    let mut kinds = 0;
    while at < men.len() {
        let count = run(&men[at..]);
        if men[..at].contains(&men[at]) || material.count(men[at]) != count as u32 {
            return false;
        }
        at += count;
        kinds += 1;
    }
    at == material.men() as usize && at <= MEN && kinds >= 2
}

/// Returns how many men at the start are equal.
fn run(men: &[Piece]) -> usize {
    men.iter().take_while(|&man| Some(man) == men.first()).count()
}

/// Returns the leading group, its size and its number of placements.
fn leading_group(men: &[Piece], material: Material, file: u8) -> Result<(Leading, usize, u64), Damage> {
    const WRONG: Damage = Damage::Structure("the leading men are not those of the format");
    if material.has_pawns() {
        let own = material.count(men[0]) as usize;
        let other = material.count(Piece::new(!men[0].color, PieceKind::Pawn)) as usize;
        let next_is_pawn = men.get(own).is_some_and(|next| next.kind == PieceKind::Pawn);
        let valid =
            men[0].kind == PieceKind::Pawn && next_is_pawn == (other > 0) && (other == 0 || own <= other);
        let pawns = LeadingPawns::new(own, file).filter(|_| valid).ok_or(WRONG)?;
        let placements = pawns.placements;
        return Ok((Leading::Pawns(pawns), own, placements));
    }
    if material.has_unique_piece() {
        let valid = men.len() >= 3 && men[..3].iter().all(|&man| material.count(man) == 1);
        return if valid { Ok((Leading::Triple, 3, PIECE_TRIPLES)) } else { Err(WRONG) };
    }
    let valid = men.len() >= 2 && men[..2].iter().all(|man| man.kind == PieceKind::King);
    if valid { Ok((Leading::Kings, 2, KING_PAIRS)) } else { Err(WRONG) }
}

/// Gives each group its factor, in the order that the header states, and returns the factor of the leading group and
/// the number of positions.
fn assign_factors(
    groups: &mut [(Group, u64)],
    leading_placements: u64,
    leading_place: u8,
    second_place: Option<u8>,
) -> Result<(u64, u64), Damage> {
    const WRONG: Damage = Damage::Structure("the order of the men is impossible");
    let (mut factor, mut leading_factor) = (1u64, None);
    // The pawns of the other side are the first of the groups, but have a place of their own.
    let mut next = usize::from(second_place.is_some());
    for place in 0..=groups.len() {
        let group = if place == usize::from(leading_place) {
            leading_factor = Some(factor);
            factor = factor.checked_mul(leading_placements).ok_or(WRONG)?;
            continue;
        } else if second_place.is_some_and(|second| place == usize::from(second)) {
            groups.first_mut()
        } else {
            next += 1;
            groups.get_mut(next - 1)
        };
        let (group, placements) = group.ok_or(WRONG)?;
        group.factor = factor;
        factor = factor.checked_mul(*placements).ok_or(WRONG)?;
    }
    Ok((leading_factor.ok_or(WRONG)?, factor))
}
