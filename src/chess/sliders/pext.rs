//! Bit extraction: the blockers of a slider, gathered into the low bits of a word, index its attacks.
//!
//! The x86 instruction `pext` gathers the bits; on other processors a slow loop uses the same tables.

use std::marker::PhantomData;

use super::rays::{AttackTable, Slide, TABLE_SIZE};
use super::technique::Sliders;
use crate::chess::{Bitboard, Square};

/// The start of the attacks of a square in the table, and the mask of the blockers that index them.
#[derive(Clone, Copy)]
struct Span {
    mask: u64,
    start: u32,
}

struct Tables {
    rooks: [Span; 64],
    bishops: [Span; 64],
    attacks: AttackTable,
}

static TABLES: Tables = {
    let none = [Span { mask: 0, start: 0 }; 64];
    let mut tables = Tables { rooks: none, bishops: none, attacks: [0; TABLE_SIZE] };
    let mut end = 0;
    let mut square = 0;
    while square < 64 {
        tables.rooks[square] = Span { mask: Slide::Rook.mask(square), start: end as u32 };
        end = Slide::Rook.tabulate(square, &mut tables.attacks, end);
        square += 1;
    }
    square = 0;
    while square < 64 {
        tables.bishops[square] = Span { mask: Slide::Bishop.mask(square), start: end as u32 };
        end = Slide::Bishop.tabulate(square, &mut tables.attacks, end);
        square += 1;
    }
    tables
};

/// The technique of u-chess, with bits gathered by `E`.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) struct Pext<E>(PhantomData<E>);

/// An implementation of bit extraction.
pub(in crate::chess) trait Gather: Copy + Send + Sync {
    /// Gathers the bits of `word` selected by `mask` into the low bits.
    fn gather(word: u64, mask: u64) -> u64;
}

/// Bit extraction by a loop, on any processor.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) enum Software {}

/// Bit extraction by the `pext` instruction.
#[derive(Clone, Copy, Debug)]
pub(in crate::chess) enum Hardware {}

impl Gather for Software {
    fn gather(word: u64, mut mask: u64) -> u64 {
        let (mut gathered, mut bit) = (0, 1);
        while mask != 0 {
            if word & mask & mask.wrapping_neg() != 0 {
                gathered |= bit;
            }
            mask &= mask - 1;
            bit <<= 1;
        }
        gathered
    }
}

#[cfg(target_arch = "x86_64")]
impl Gather for Hardware {
    #[inline(always)]
    fn gather(word: u64, mask: u64) -> u64 {
        hardware_pext(word, mask)
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Gather for Hardware {
    fn gather(word: u64, mask: u64) -> u64 {
        Software::gather(word, mask)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
fn hardware_pext(word: u64, mask: u64) -> u64 {
    #[expect(unsafe_code, reason = "the build requires BMI2, so the instruction is available")]
    unsafe {
        std::arch::x86_64::_pext_u64(word, mask)
    }
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
#[inline(always)]
fn hardware_pext(word: u64, mask: u64) -> u64 {
    let gathered: u64;
    #[expect(
        unsafe_code,
        reason = "a portable build cannot inline the intrinsic; a `Pext<Hardware>` exists only after BMI2 was detected"
    )]
    unsafe {
        std::arch::asm!(
            "pext {gathered}, {word}, {mask}",
            gathered = lateout(reg) gathered,
            word = in(reg) word,
            mask = in(reg) mask,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    gathered
}

impl Pext<Software> {
    /// The portable implementation.
    pub(in crate::chess) const SOFTWARE: Self = Self(PhantomData);
}

#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
impl Pext<Hardware> {
    /// Available without detection, because the build requires BMI2.
    pub(in crate::chess) const HARDWARE: Self = Self(PhantomData);
}

impl Pext<Hardware> {
    /// Returns the hardware technique, if the processor supports it.
    #[cfg(target_arch = "x86_64")]
    pub(in crate::chess) fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("bmi2").then_some(Self(PhantomData))
    }

    /// Returns the hardware technique, if the processor supports it.
    #[cfg(not(target_arch = "x86_64"))]
    pub(in crate::chess) fn detect() -> Option<Self> {
        None
    }
}

/// Returns whether the processor has a fast `pext`. AMD processors before Zen 3 (family 25) take hundreds of cycles.
#[cfg(target_arch = "x86_64")]
pub(super) fn is_fast() -> bool {
    use std::arch::x86_64::__cpuid;

    if Pext::detect().is_none() {
        return false;
    }
    let vendor = __cpuid(0);
    let is_amd = (vendor.ebx, vendor.edx, vendor.ecx)
        == (u32::from_le_bytes(*b"Auth"), u32::from_le_bytes(*b"enti"), u32::from_le_bytes(*b"cAMD"));
    let signature = __cpuid(1).eax;
    let family = (signature >> 8 & 15) + (signature >> 20 & 255);
    !is_amd || family >= 25
}

/// Returns `false`, because only x86 has `pext`.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn is_fast() -> bool {
    false
}

impl<E: Gather> Pext<E> {
    #[inline(always)]
    fn look_up(span: &Span, occupied: Bitboard) -> Bitboard {
        let index = span.start as usize + E::gather(occupied.0, span.mask) as usize;
        Bitboard(TABLES.attacks[index & (TABLE_SIZE - 1)])
    }
}

impl<E: Gather> Sliders for Pext<E> {
    #[inline(always)]
    fn bishop(self, from: Square, occupied: Bitboard) -> Bitboard {
        Self::look_up(&TABLES.bishops[from.index()], occupied)
    }

    #[inline(always)]
    fn rook(self, from: Square, occupied: Bitboard) -> Bitboard {
        Self::look_up(&TABLES.rooks[from.index()], occupied)
    }
}
