//! One table file.

use std::path::Path;

use crate::chess::{Color, Piece, PieceKind, Position};
use crate::syzygy::blocks::{Flags, Values};
use crate::syzygy::layout::{Layout, LayoutHeader, MEN, lead_with_pawn};
use crate::syzygy::material::{Material, StrongSide};
use crate::syzygy::source::{Cursor, Source};
use crate::syzygy::{Damage, Wdl};

/// What a table stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Win, draw or loss for both sides to move.
    Wdl,
    /// The distance to the next capture or pawn move, for one side to move.
    Dtz,
}

impl Kind {
    fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Self::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// Flags of the header of a table.
const SPLIT: u8 = 1;
const PAWNS: u8 = 2;

/// Flags of the values of a distance table.
const SIDE: Flags = 1;
const MAPPED: Flags = 2;
const WIN_PLIES: Flags = 4;
const LOSS_PLIES: Flags = 8;
const WIDE_MAP: Flags = 16;

/// The positions of one file of the leading pawn and one side to move.
#[derive(Debug)]
struct Part {
    layout: Layout,
    values: Values,
    flags: Flags,
    /// Distances by the value that is stored: for wins, losses, cursed wins and blessed losses.
    maps: Option<[Vec<u16>; 4]>,
}

/// A table whose structure has been checked.
#[derive(Debug)]
pub(super) struct Table {
    source: Source,
    material: Material,
    /// By file of the leading pawn, then by side to move; the stronger side first.
    parts: Vec<Vec<Part>>,
}

/// A distance as a table stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredDistance {
    /// Plies beyond the first.
    Plies(i32),
    /// The table has distances for the other side to move only.
    OtherSide,
}

impl Table {
    /// Opens a table and checks its structure.
    pub(super) fn open(path: &Path, kind: Kind, material: Material) -> Result<Self, Damage> {
        let source = Source::open(path)?;
        let mut cursor = Cursor::new(&source);
        if cursor.bytes()? != kind.magic() {
            return Err(Damage::Magic);
        }
        let parts = read_parts(&mut cursor, kind, material)?;
        Ok(Self { source, material, parts })
    }

    /// Returns the value of a position of the table without regard to captures and en passant.
    pub(super) fn wdl(&self, position: &Position, strong: StrongSide) -> Result<Wdl, Damage> {
        let (file, mut squares) = self.place(position, strong);
        let side = usize::from(position.turn() != strong.0);
        let part = self.parts[file].get(side).ok_or(NOT_STORED)?;
        let stored = self.stored(part, position, strong, &mut squares)?;
        Wdl::from_stored(stored & 0xff).ok_or(Damage::Structure("a value is neither win, draw nor loss"))
    }

    /// Returns the distance of a position whose value is `wdl`.
    pub(super) fn dtz(
        &self,
        position: &Position,
        strong: StrongSide,
        wdl: Wdl,
    ) -> Result<StoredDistance, Damage> {
        let (file, mut squares) = self.place(position, strong);
        let part = self.parts[file].first().ok_or(NOT_STORED)?;
        let side = Flags::from(position.turn() != strong.0);
        let either = self.material.is_symmetric() && !self.material.has_pawns();
        if part.flags & SIDE != side && !either {
            return Ok(StoredDistance::OtherSide);
        }
        let stored = self.stored(part, position, strong, &mut squares)?;
        let (map, plies) = match wdl {
            Wdl::Win | Wdl::Draw => (0, part.flags & WIN_PLIES != 0),
            Wdl::Loss => (1, part.flags & LOSS_PLIES != 0),
            Wdl::CursedWin => (2, false),
            Wdl::BlessedLoss => (3, false),
        };
        let distance = match &part.maps {
            None => stored,
            Some(maps) => *maps[map]
                .get(usize::from(stored))
                .ok_or(Damage::Structure("a distance is not in its list"))?,
        };
        let distance = i32::from(distance);
        Ok(StoredDistance::Plies(if plies { distance } else { 2 * distance }))
    }

    /// Returns the file of the leading pawn and the squares of the leading men.
    fn place(&self, position: &Position, strong: StrongSide) -> (usize, [u8; MEN]) {
        let mut squares = [0; MEN];
        if !self.material.has_pawns() {
            return (0, squares);
        }
        let first = &self.parts[0][0].layout;
        let leading = first.leading_men();
        fill(&mut squares[..leading], &first.men()[..leading], position, strong);
        (lead_with_pawn(&mut squares[..leading]), squares)
    }

    fn stored(
        &self,
        part: &Part,
        position: &Position,
        strong: StrongSide,
        squares: &mut [u8; MEN],
    ) -> Result<u16, Damage> {
        let men = part.layout.men();
        // The leading pawns are in their order already.
        let done = if self.material.has_pawns() { part.layout.leading_men() } else { 0 };
        fill(&mut squares[done..men.len()], &men[done..], position, strong);
        let number = part.layout.number(&mut squares[..men.len()]).ok_or(NOT_STORED)?;
        part.values.get(&self.source, number)
    }
}

const NOT_STORED: Damage = Damage::Structure("the table has no such position");

/// Writes the squares of the men, as the stronger side sees them.
fn fill(squares: &mut [u8], men: &[Piece], position: &Position, strong: StrongSide) {
    let mut at = 0;
    while at < men.len() {
        let color = if men[at].color == Color::White { strong.0 } else { !strong.0 };
        for square in position.pieces(color, men[at].kind) {
            if let Some(place) = squares.get_mut(at) {
                *place = square.relative(strong.0).index() as u8;
            }
            at += 1;
        }
    }
}

fn read_parts(cursor: &mut Cursor<'_>, kind: Kind, material: Material) -> Result<Vec<Vec<Part>>, Damage> {
    let flags = cursor.u8()?;
    let split = kind == Kind::Wdl && !material.is_symmetric();
    let flags_fit =
        (flags & PAWNS != 0) == material.has_pawns() && (kind == Kind::Dtz || (flags & SPLIT != 0) == split);
    if !flags_fit {
        return Err(Damage::Structure("the flags contradict the name of the file"));
    }
    let files = if material.has_pawns() { 4 } else { 1 };
    let sides = if split { 2 } else { 1 };
    let mut layouts = Vec::new();
    for file in 0..files {
        layouts.push(read_layouts(cursor, material, file, sides)?);
    }
    let leads = || layouts.iter().flatten().map(|layout: &Layout| layout.men()[0]);
    if material.has_pawns() && leads().any(|lead| Some(lead) != leads().next()) {
        return Err(Damage::Structure("the leading pawns have different colours"));
    }
    cursor.align(2);
    let mut parts = Vec::new();
    for layouts in layouts {
        let mut of_file = Vec::new();
        for layout in layouts {
            let (flags, values) = Values::read(cursor)?;
            of_file.push(Part { layout, values: constant_of(kind, values), flags, maps: None });
        }
        parts.push(of_file);
    }
    if kind == Kind::Dtz {
        for part in parts.iter_mut().flatten() {
            part.maps = read_maps(cursor, part.flags)?;
        }
        cursor.align(2);
    }
    for part in parts.iter_mut().flatten() {
        part.values.place_index(cursor, part.layout.positions)?;
    }
    for part in parts.iter_mut().flatten() {
        part.values.place_lengths(cursor)?;
    }
    for part in parts.iter_mut().flatten() {
        part.values.place_data(cursor)?;
    }
    Ok(parts)
}

/// The distance tables of a single value state it as 0, whatever their byte is.
fn constant_of(kind: Kind, values: Values) -> Values {
    match values {
        Values::Constant(_) if kind == Kind::Dtz => Values::Constant(0),
        values => values,
    }
}

/// Reads the order of the men for each side to move: half a byte for each of two sides.
fn read_layouts(
    cursor: &mut Cursor<'_>,
    material: Material,
    file: u8,
    sides: u8,
) -> Result<Vec<Layout>, Damage> {
    let pawn = |color| material.count(Piece::new(color, PieceKind::Pawn));
    let first = cursor.u8()?;
    let second = if pawn(Color::White) > 0 && pawn(Color::Black) > 0 { cursor.u8()? } else { 0xff };
    let men = cursor.vec(material.men() as usize)?;
    (0..sides)
        .map(|side| {
            let half = |byte: u8| byte >> (4 * side) & 15;
            let header = LayoutHeader {
                order: [half(first), half(second)],
                men: men.iter().map(|&man| half(man)).collect(),
                file,
            };
            Layout::new(material, &header)
        })
        .collect()
}

/// Reads the lists of distances, if the table has them.
fn read_maps(cursor: &mut Cursor<'_>, flags: Flags) -> Result<Option<[Vec<u16>; 4]>, Damage> {
    if flags & MAPPED == 0 {
        return Ok(None);
    }
    let wide = flags & WIDE_MAP != 0;
    if wide {
        cursor.align(2);
    }
    let mut maps = [const { Vec::new() }; 4];
    for map in &mut maps {
        if wide {
            let len = cursor.u16()?;
            let bytes = cursor.vec(2 * usize::from(len))?;
            *map = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        } else {
            let len = cursor.u8()?;
            *map = cursor.vec(usize::from(len))?.into_iter().map(u16::from).collect();
        }
    }
    Ok(Some(maps))
}
