//! The compressed values of a table: blocks of Huffman codes for symbols, each of which stands for one or more values.

use crate::syzygy::Damage;
use crate::syzygy::source::{Cursor, Source};

/// The right half of a symbol that stands for a single value.
const LEAF: u16 = 0xfff;
/// Longest code, in bits.
const MAX_CODE: u8 = 32;
/// Blocks of published tables have at most 1024 bytes; larger ones would only cost memory.
const MAX_BLOCK_BITS: u8 = 16;

/// The values of a layout, by the number of the position.
#[derive(Debug)]
pub(super) enum Values {
    /// Every position has this value.
    Constant(u16),
    /// Values in blocks.
    Blocks(Blocks),
}

/// A pair of symbols, or a value.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    left: u16,
    right: u16,
    /// The number of values that the symbol stands for, less one.
    more: u8,
}

/// Values in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    /// Logarithm of the size of a block.
    block_bits: u8,
    /// Logarithm of the number of positions per entry of the index.
    index_bits: u8,
    /// Number of blocks, and of entries in the list of lengths, which has padding at its end.
    blocks: u32,
    lengths: u64,
    min_code: u8,
    /// For each length of a code: the lowest code, at the top of the word, and the lowest symbol.
    codes: Vec<(u64, u16)>,
    symbols: Vec<Symbol>,
    index_at: u64,
    lengths_at: u64,
    data_at: u64,
}

/// The flags in front of the values; their meaning is that of the kind of the table.
pub(super) type Flags = u8;

const CONSTANT: Flags = 0x80;

impl Values {
    /// Reads the description of the values; their places follow with the three `place` functions.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<(Flags, Self), Damage> {
        let flags = cursor.u8()?;
        if flags & CONSTANT != 0 {
            return Ok((flags, Self::Constant(u16::from(cursor.u8()?))));
        }
        let [block_bits, index_bits, padding] = cursor.bytes()?;
        let blocks = cursor.u32()?;
        let [max_code, min_code] = cursor.bytes()?;
        let valid = (1..=max_code).contains(&min_code)
            && max_code <= MAX_CODE
            && block_bits <= MAX_BLOCK_BITS
            && (1..MAX_CODE).contains(&index_bits)
            && blocks > 0;
        if !valid {
            return Err(Damage::Structure("the sizes of blocks or codes are impossible"));
        }
        let lowest = (min_code..=max_code).map(|_| cursor.u16()).collect::<Result<Vec<u16>, _>>()?;
        let count = cursor.u16()?;
        let pairs = cursor.vec(3 * usize::from(count))?;
        cursor.align(2);
        let values = Blocks {
            block_bits,
            index_bits,
            blocks,
            lengths: u64::from(blocks) + u64::from(padding),
            min_code,
            codes: lowest_codes(&lowest, min_code)?,
            symbols: symbols(&pairs)?,
            index_at: 0,
            lengths_at: 0,
            data_at: 0,
        };
        Ok((flags, Self::Blocks(values)))
    }

    /// Takes the place of the index for this number of positions.
    pub(super) fn place_index(&mut self, cursor: &mut Cursor<'_>, positions: u64) -> Result<(), Damage> {
        if let Self::Blocks(blocks) = self {
            blocks.index_at = cursor.skip(6 * positions.div_ceil(1 << blocks.index_bits))?;
        }
        Ok(())
    }

    /// Takes the place of the lengths of the blocks.
    pub(super) fn place_lengths(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Damage> {
        if let Self::Blocks(blocks) = self {
            blocks.lengths_at = cursor.skip(2 * blocks.lengths)?;
        }
        Ok(())
    }

    /// Takes the place of the blocks.
    pub(super) fn place_data(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Damage> {
        if let Self::Blocks(blocks) = self {
            cursor.align(64);
            blocks.data_at = cursor.skip(u64::from(blocks.blocks) << blocks.block_bits)?;
        }
        Ok(())
    }

    /// Returns the value of a position.
    pub(super) fn get(&self, source: &Source, position: u64) -> Result<u16, Damage> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Blocks(blocks) => blocks.get(source, position),
        }
    }
}

/// Returns the lowest code and symbol of every length. Longer codes begin with lower bits.
fn lowest_codes(lowest: &[u16], min_code: u8) -> Result<Vec<(u64, u16)>, Damage> {
    const WRONG: Damage = Damage::Structure("the code lengths are impossible");
    let mut codes = vec![0u64; lowest.len()];
    for place in (0..lowest.len().saturating_sub(1)).rev() {
        let longer = codes[place + 1].checked_add(u64::from(lowest[place])).ok_or(WRONG)?;
        codes[place] = longer.checked_sub(u64::from(lowest[place + 1])).ok_or(WRONG)? / 2;
    }
    let aligned = |(place, &code): (usize, &u64)| {
        let bits = u32::from(min_code) + place as u32;
        // A code must fit into its bits.
        if bits < 64 && code >> bits == 0 { Ok((code << (64 - bits), lowest[place])) } else { Err(WRONG) }
    };
    codes.iter().enumerate().map(aligned).collect()
}

/// Reads the symbols and computes how many values each stands for.
fn symbols(bytes: &[u8]) -> Result<Vec<Symbol>, Damage> {
    const WRONG: Damage = Damage::Structure("a symbol contains itself or too many values");
    let read = |pair: &[u8]| {
        let word = u32::from_le_bytes([pair[0], pair[1], pair[2], 0]);
        Symbol { left: (word & 0xfff) as u16, right: (word >> 12) as u16, more: 0 }
    };
    let mut symbols: Vec<Symbol> = bytes.chunks_exact(3).map(read).collect();
    let mut known: Vec<bool> = symbols.iter().map(|symbol| symbol.right == LEAF).collect();
    let mut open = Vec::new();
    for start in 0..symbols.len() {
        open.push(start);
        while let Some(&symbol) = open.last() {
            let halves = [symbols[symbol].left, symbols[symbol].right].map(usize::from);
            if known[symbol] {
                open.pop();
            } else if let Some(&half) = halves.iter().find(|&&half| known.get(half) != Some(&true)) {
                // A path longer than the number of symbols goes round in a circle.
                if half >= symbols.len() || open.len() > symbols.len() {
                    return Err(WRONG);
                }
                open.push(half);
            } else {
                let [left, right] = halves.map(|half| symbols[half].more);
                let more = left.checked_add(right).and_then(|sum| sum.checked_add(1));
                symbols[symbol].more = more.ok_or(WRONG)?;
                known[symbol] = true;
                open.pop();
            }
        }
    }
    Ok(symbols)
}

impl Blocks {
    fn get(&self, source: &Source, position: u64) -> Result<u16, Damage> {
        let (block, rest) = self.locate(source, position)?;
        let mut bytes = [0; 1 << 10];
        let size = 1usize << self.block_bits;
        let at = self.data_at + (u64::from(block) << self.block_bits);
        if size <= bytes.len() {
            source.read(at, &mut bytes[..size])?;
            self.decode(&bytes[..size], rest)
        } else {
            let mut bytes = vec![0; size];
            source.read(at, &mut bytes)?;
            self.decode(&bytes, rest)
        }
    }

    /// Returns the block of a position and its place in it.
    fn locate(&self, source: &Source, position: u64) -> Result<(u32, u32), Damage> {
        const WRONG: Damage = Damage::Structure("the index leads to no block");
        let span = 1u64 << self.index_bits;
        let entry = self.index_at + 6 * (position / span);
        let mut block = source.u32(entry)?;
        // An entry describes the position in the middle of its span.
        let mut rest = i64::from(source.u16(entry + 4)?) + (position % span) as i64 - (span / 2) as i64;
        while rest < 0 {
            block = block.checked_sub(1).ok_or(WRONG)?;
            rest += i64::from(self.length(source, block)?) + 1;
        }
        loop {
            let length = i64::from(self.length(source, block)?);
            if rest <= length {
                break;
            }
            rest -= length + 1;
            block = block.checked_add(1).ok_or(WRONG)?;
        }
        if block < self.blocks { Ok((block, rest as u32)) } else { Err(WRONG) }
    }

    /// Returns the number of values in a block, less one.
    fn length(&self, source: &Source, block: u32) -> Result<u16, Damage> {
        if u64::from(block) >= self.lengths {
            return Err(Damage::Structure("the index leads to no block"));
        }
        source.u16(self.lengths_at + 2 * u64::from(block))
    }

    /// Returns the value at this place in a block.
    fn decode(&self, block: &[u8], mut place: u32) -> Result<u16, Damage> {
        let mut bits = Bits::new(block);
        loop {
            let symbol = self.next_symbol(&mut bits)?;
            let more = u32::from(self.symbol(symbol)?.more);
            if place <= more {
                return self.value(symbol, place);
            }
            place -= more + 1;
        }
    }

    fn next_symbol(&self, bits: &mut Bits<'_>) -> Result<u64, Damage> {
        const WRONG: Damage = Damage::Structure("a block contains an impossible code");
        let window = bits.window();
        let place = self.codes.iter().position(|&(lowest, _)| window >= lowest).ok_or(WRONG)?;
        let (lowest, symbol) = self.codes[place];
        let length = u32::from(self.min_code) + place as u32;
        bits.skip(length).ok_or(WRONG)?;
        Ok(u64::from(symbol) + ((window - lowest) >> (64 - length)))
    }

    fn symbol(&self, number: u64) -> Result<Symbol, Damage> {
        let found = usize::try_from(number).ok().and_then(|number| self.symbols.get(number));
        found.copied().ok_or(Damage::Structure("a block contains an unknown symbol"))
    }

    /// Returns the value at this place in the expansion of a symbol.
    fn value(&self, number: u64, mut place: u32) -> Result<u16, Damage> {
        let mut symbol = self.symbol(number)?;
        while symbol.right != LEAF {
            let left = self.symbol(u64::from(symbol.left))?;
            if place <= u32::from(left.more) {
                symbol = left;
            } else {
                place -= u32::from(left.more) + 1;
                symbol = self.symbol(u64::from(symbol.right))?;
            }
        }
        Ok(symbol.left)
    }
}

/// Reads a block bit by bit, highest bit first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the next bits at the top of a word, at least 57 of them; zeros follow the end.
    fn window(&self) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let len = rest.len().min(8);
        word[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(word) << (self.at % 8)
    }

    /// Moves on; `None` past the end.
    fn skip(&mut self, bits: u32) -> Option<()> {
        self.at += bits as usize;
        (self.at <= 8 * self.bytes.len()).then_some(())
    }
}
