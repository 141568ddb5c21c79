//! The checksum at the end of a table file: CityHash with CRC (version 1.0 of that family) over pieces of 16 MiB, and
//! CityHash128 over the results.

/// The size of the pieces that are hashed on their own.
pub(super) const PIECE_BYTES: usize = 1 << 24;
/// The largest number of pieces for which the last step is implemented: it changes its form at 144 bytes.
pub(super) const MAX_PIECES: usize = 4;
/// Length of a checksum.
pub(super) const CHECKSUM_BYTES: usize = 16;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;

/// Returns the checksum of the contents of a table, which precede it in the file; `None` if they are too long.
pub fn checksum(contents: &[u8]) -> Option<[u8; CHECKSUM_BYTES]> {
    let pieces: Vec<u8> = contents.chunks(PIECE_BYTES).flat_map(hash_piece).collect();
    combine(&pieces)
}

/// Returns the checksum of a file whose pieces have these hashes.
pub(super) fn combine(hashes: &[u8]) -> Option<[u8; CHECKSUM_BYTES]> {
    if hashes.len() < 32 || hashes.len() > 32 * MAX_PIECES {
        return None;
    }
    let (low, high) = murmur(&hashes[16..], word(hashes, 0) ^ K3, word(hashes, 8));
    let mut sum = [0; CHECKSUM_BYTES];
    sum[..8].copy_from_slice(&low.to_le_bytes());
    sum[8..].copy_from_slice(&high.to_le_bytes());
    Some(sum)
}

/// Returns the hash of one piece of a file.
pub(super) fn hash_piece(piece: &[u8]) -> [u8; 32] {
    let words = if piece.len() < STRIDE {
        let mut padded = [0; STRIDE];
        padded[..piece.len()].copy_from_slice(piece);
        hash_long(&padded, !(piece.len() as u32))
    } else {
        hash_long(piece, 0)
    };
    let mut bytes = [0; 32];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// Bytes per round of the long hash: six steps of 40.
const STRIDE: usize = 240;
const STEP: usize = 40;

/// The state of the long hash: five sums and a spare one, and a CRC of each sum.
struct Lanes {
    sums: [u64; 5],
    spare: u64,
    crcs: [u32; 5],
}

impl Lanes {
    /// Takes in 40 bytes; steps with the multiplier 1 rotate by one bit more or less.
    fn step(&mut self, bytes: &[u8], multiplier: u64, twist: u32) {
        let [a, b, c, d, e] = self.sums;
        let sources = [(b, 41), (c, 27), (d, 41), (e, 33), (self.spare, 25)];
        for (lane, (source, turn)) in sources.into_iter().enumerate() {
            let mixed = source.rotate_right(turn ^ twist).wrapping_mul(multiplier);
            self.sums[lane] = mixed.wrapping_add(word(bytes, 8 * lane));
            self.crcs[lane] = crc32c(self.crcs[lane], self.sums[lane]);
        }
        self.spare = a;
    }
}

/// Hashes at least 240 bytes.
fn hash_long(bytes: &[u8], seed: u32) -> [u64; 4] {
    let len = bytes.len() as u64;
    let b = word(bytes, 96).wrapping_add(K0);
    let c = mix(b, len);
    let d = word(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let sums = [word(bytes, 56).wrapping_add(K0), b, c, d, word(bytes, 184).wrapping_add(u64::from(seed))];
    let mut lanes = Lanes { sums, spare: c.wrapping_add(d), crcs: [seed, 0, 0, 0, 0] };
    let rounds = bytes.chunks_exact(STRIDE);
    let rest = rounds.remainder();
    for round in rounds {
        for (number, part) in round.chunks_exact(STEP).enumerate() {
            let (multiplier, twist) = if number % 2 == 0 { (1, 1) } else { (K0, 0) };
            lanes.step(part, multiplier, twist);
        }
    }
    for part in rest.chunks_exact(STEP) {
        lanes.step(part, K0, 0);
    }
    if !rest.len().is_multiple_of(STEP) {
        // The last bytes once more, together with the ones before them.
        lanes.step(&bytes[bytes.len() - STEP..], K0, 0);
    }
    finish(&lanes, c, d)
}

fn finish(lanes: &Lanes, first: u64, second: u64) -> [u64; 4] {
    let add = u64::wrapping_add;
    let [a, b, c, d, e] = lanes.sums;
    let [f, g, h, i, j] = lanes.crcs.map(u64::from);
    let j = add(j, i << 32);
    let a = mix(a, j);
    let h = add(h, g << 32);
    let b = add(b, h);
    let c = add(mix(c, f), i);
    let d = mix(d, add(e, first));
    let j = add(j, e);
    let i = add(i, mix(h, lanes.spare));
    let e = add(mix(a, d), j);
    let f = add(mix(b, c), a);
    let g = add(mix(j, i), c);
    let r0 = add(add(add(e, f), g), h);
    let fold = |value: u64| shift_mix(value.wrapping_mul(K0)).wrapping_mul(K0);
    let a = add(fold(add(a, g)), b);
    let r1 = add(add(second, a), r0);
    let a = add(fold(a), c);
    let r2 = add(a, r1);
    let a = fold(add(a, e));
    [r0, r1, r2, add(a, r2)]
}

/// Hashes 16 to 112 bytes, a multiple of 16.
fn murmur(bytes: &[u8], low: u64, high: u64) -> (u64, u64) {
    let len = bytes.len() as u64;
    let fold = |value: u64| shift_mix(value.wrapping_mul(K1)).wrapping_mul(K1);
    let (mut a, mut b) = (low, high);
    let (mut c, mut d);
    if bytes.len() == 16 {
        let (first, last) = (word(bytes, 0), word(bytes, 8));
        a = fold(a);
        c = b.wrapping_mul(K1).wrapping_add(mix(first, last.wrapping_add(len).rotate_right(16)) ^ last);
        d = shift_mix(a.wrapping_add(first));
    } else {
        c = mix(word(bytes, bytes.len() - 8).wrapping_add(K1), a);
        d = mix(b.wrapping_add(len), c.wrapping_add(word(bytes, bytes.len() - 16)));
        a = a.wrapping_add(d);
        // The last 16 bytes are part of the start.
        for part in bytes[..bytes.len() - 16].chunks_exact(16) {
            a = (a ^ fold(word(part, 0))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ fold(word(part, 8))).wrapping_mul(K1);
            d ^= c;
        }
    }
    let (a, b) = (mix(a, c), mix(d, b));
    (a ^ b, mix(b, a))
}

/// Combines two words to one.
fn mix(u: u64, v: u64) -> u64 {
    const MULTIPLIER: u64 = 0x9ddf_ea08_eb38_2d69;
    let a = shift_mix((u ^ v).wrapping_mul(MULTIPLIER));
    shift_mix((v ^ a).wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER)
}

fn shift_mix(value: u64) -> u64 {
    value ^ value >> 47
}

/// Returns the little-endian word at this place.
fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// CRC-32C of every byte, followed by 0 to 7 zero bytes.
static CRC_TABLES: [[u32; 256]; 8] = crc_tables();

const fn crc_tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ POLYNOMIAL };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut number = 1;
    while number < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[number - 1][byte];
            tables[number][byte] = before >> 8 ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        number += 1;
    }
    tables
}

/// Extends a CRC-32C by eight bytes, without the inversions at start and end.
fn crc32c(crc: u32, value: u64) -> u32 {
    let bytes = (value ^ u64::from(crc)).to_le_bytes();
    bytes.iter().zip(CRC_TABLES.iter().rev()).fold(0, |sum, (&byte, table)| sum ^ table[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_the_castagnoli_one() {
        // RFC 3720, appendix B.4: 32 bytes of zeros and 32 bytes of ones.
        let of = |value: u64| !(0..4).fold(!0, |crc, _| crc32c(crc, value));
        assert_eq!(of(0), 0x8a91_36aa);
        assert_eq!(of(!0), 0x62a8_ab43);
    }
}
