//! Feeds seeded mutations of valid texts to every parser: none panics, takes long or allocates without bound.
//!
//! `PLAYSELF_FUZZ_ITERATIONS` sets the number of mutated texts; the default takes a few seconds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

use playself::chess::{Epd, MoveStyle, PackedPosition, PgnReader, Position};

/// The system allocator with a count of the bytes in use per thread, since other tests run at the same time.
struct Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread frees its last memory after its thread-local counters have been destroyed.
    let _ = IN_USE.try_with(|in_use| {
        in_use.set(in_use.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(in_use.get())));
    });
}

#[expect(unsafe_code, reason = "GlobalAlloc is an unsafe trait")]
// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller upholds the contract, which is that of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller upholds the contract, which is that of the system allocator.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const CORPUS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1",
    "2k1r1r1/8/8/8/8/8/8/RRK5 w Be - 0 1",
    "8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 65535 65535",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm Nf3 e4; id \"a; b\"; hmvc 3; fmvn 20;",
    "4k3/8/8/8/8/8/4P3/4K3 w - - ;D1 20 ; D2 400",
    "e2e4 e7e8q e1g1 e1g1Ch1 O-O-O e8=Q+ Nbxd2# Ra1xa8 exd6 e.p. 0000",
    "[Event \"x \\\"y\\\" \\\\\"]\r\n[White \"A\"]\r\n\r\n1. e4! {c} e5?! (1... c5 {x} (1... e6)) 2. Nf3 $14 Nc6 ; tail\r\n3. Bb5 *\r\n",
    "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n1. O-O-O Ke7 2. Rhe1+ Kf7 1/2-1/2\n\n[Event \"?\"]\n\n1. d4 d5 1-0\n",
    "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.c3 Nf6 5.d4 exd4 6.cxd4 Bb4+ 7.Nc3 Nxe4 8.O-O Bxc3 0-1",
    "\u{feff}% escape\njunk { not closed\n[Event \"?\"]\n\n{[%clk 1:00]} 1. e4 *\n",
    "((((((((((((((((((((((((((((((((((((((((",
    "{{{{{{{{$$$$$;;;;;%%%%%[[[[[\"\"\"\"\\\\\\\\",
    "1. 1. 1. 1... 2 3 4 ..... e.p. $1 $255 $256 !! ?? ! ? !? ?!",
    "99999999999999999999999999999999999999999999",
];

struct Mutator(u64);

impl Mutator {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) as usize) % limit.max(1)
    }

    fn mutant(&mut self) -> Vec<u8> {
        let mut bytes = CORPUS[self.below(CORPUS.len())].as_bytes().to_vec();
        for _ in 0..self.below(8) {
            let at = self.below(bytes.len());
            match self.below(6) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 if !bytes.is_empty() => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b"/ -wbKQkqe36.!?[](){}$%\"\\\n\r\0\x1b\xff\xc3"[self.below(31)]),
                3 => {
                    let end = (at + self.below(40)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    let times = 1 + self.below(30);
                    bytes.splice(at..at, copy.repeat(times));
                }
                4 => {
                    let other = CORPUS[self.below(CORPUS.len())].as_bytes();
                    let from = self.below(other.len());
                    bytes.splice(at.., other[from..].iter().copied());
                }
                _ => bytes.truncate(at),
            }
        }
        bytes
    }
}

fn feed(position: &Position, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(read) = Position::from_fen(&text) {
        assert_eq!(Position::from_fen(&read.to_fen()), Ok(read));
        assert_eq!(PackedPosition::pack(&read).unpack(), Ok(read));
        for &mv in read.legal_moves().iter() {
            let after = read.play(mv);
            assert_eq!(Position::from_fen(&after.to_fen()), Ok(after));
        }
    }
    if let Ok(epd) = Epd::parse(&text) {
        assert!(Epd::parse(&epd.to_string()).is_ok(), "{epd}");
    }
    for word in text.split(' ').take(64) {
        for read in [
            position.parse_san(word),
            position.parse_ace(word),
            position.parse_coordinate(word, MoveStyle::Standard),
            position.parse_coordinate(word, MoveStyle::Chess960),
        ] {
            assert!(read.is_err() || read.is_ok_and(|mv| position.is_legal(mv)), "{word}");
        }
    }
    for game in PgnReader::new(bytes) {
        match game {
            Ok(game) => {
                let text = game.to_string();
                let again: Vec<_> = PgnReader::new(text.as_bytes()).collect();
                assert!(
                    matches!(again.as_slice(), [Ok(same)] if same.moves.len() == game.moves.len()),
                    "{text}"
                );
            }
            Err(error) => assert!(error.line >= 1 && !error.to_string().is_empty()),
        }
    }
    let mut record = [0; PackedPosition::BYTES];
    for (to, from) in record.iter_mut().zip(bytes) {
        *to = *from;
    }
    let _ = PackedPosition::from_bytes(&record).unpack();
}

#[test]
fn no_mutated_text_makes_a_parser_panic_slow_down_or_allocate_without_bound() {
    let iterations = std::env::var("PLAYSELF_FUZZ_ITERATIONS")
        .map_or(20_000, |number| number.parse().expect("PLAYSELF_FUZZ_ITERATIONS is a number"));
    let positions = CORPUS.map(Position::from_fen).into_iter().flatten().collect::<Vec<_>>();
    assert!(positions.len() >= 5, "the corpus has valid FENs");
    for seed in 0..iterations {
        let mut mutator = Mutator(seed);
        let bytes = mutator.mutant();
        let position = &positions[mutator.below(positions.len())];
        let before = IN_USE.get();
        PEAK.set(before);
        let started = Instant::now();
        feed(position, &bytes);
        let (took, allocated) = (started.elapsed(), (PEAK.get() - before).cast_unsigned());
        assert!(took < Duration::from_secs(5), "seed {seed}: {took:?} for {} bytes", bytes.len());
        assert!(
            allocated < 400_000 + 200 * bytes.len(),
            "seed {seed}: {allocated} for {} bytes",
            bytes.len()
        );
    }
}
