//! Reading a journal on all processors: blocks of records are validated and parsed in parallel and returned in order.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use super::frame::{Frame, FrameError};
use super::reader::{JournalEnd, LONGEST_LINE, ReadError, checked, classify, read_line};

/// Size of the block that a thread processes at a time.
const BLOCK: usize = 1 << 20;

/// Number of blocks queued before and after each thread.
const DEPTH: usize = 2;

/// With more threads than this, the disk is the bottleneck.
const MOST_THREADS: usize = 8;

/// Passes every record of `source` to `visit`, in order, after `parse` has parsed it on one of the threads.
///
/// Accepts and refuses the same journals as [`read_all`](super::read_all).
pub fn read_parallel<T, E>(
    source: impl Read,
    parse: impl Fn(Frame<'_>) -> Result<T, E> + Sync,
    mut visit: impl FnMut(T) -> Result<(), E>,
) -> Result<JournalEnd, E>
where
    T: Send,
    E: From<ReadError> + Send,
{
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    thread::scope(|scope| {
        let mut blocks = Blocks { source, carry: Vec::new(), ended: false };
        // Fewer threads than processors are enough if the system has no more.
        let mut lanes: Vec<Lane<T, E>> = Vec::new();
        for number in 0..threads {
            match Lane::open(scope, &parse) {
                Ok(lane) => lanes.push(lane),
                Err(_) if number > 0 => break,
                Err(error) => return Err(ReadError::Io(error).into()),
            }
        }
        let threads = lanes.len();
        let mut in_flight = VecDeque::new();
        let mut submitted = 0;
        let mut ending = JournalEnd::default();
        loop {
            while in_flight.len() < threads * DEPTH
                && let Some(block) = blocks.next().map_err(ReadError::Io)?
            {
                let lane = submitted % threads;
                submitted += 1;
                in_flight.push_back(lane);
                lanes[lane].submit(block);
            }
            let Some(lane) = in_flight.pop_front() else { return Ok(ending) };
            let Parsed { block, records, first, good, failure } = lanes[lane].next_result();
            let gap = first
                .filter(|&found| found != ending.next_seq)
                .map(|found| FrameError::Sequence { found, expected: ending.next_seq });
            if gap.is_none() {
                ending.valid_bytes += good as u64;
                ending.next_seq += records.len() as u64;
                records.into_iter().try_for_each(&mut visit)?;
            }
            let bad_from = if gap.is_some() { 0 } else { good };
            let why = match (gap, failure) {
                (Some(gap), _) => gap,
                (None, None) => continue,
                (None, Some(Failure::Parse(why))) => return Err(why),
                (None, Some(Failure::Frame(why))) => why,
            };
            let mut rest = block[bad_from..].to_vec();
            in_flight.iter().for_each(|&lane| rest.extend(lanes[lane].next_result().block));
            rest.extend(&blocks.carry);
            let mut rest = io::BufReader::new(rest.as_slice().chain(blocks.source));
            let mut bad = Vec::new();
            read_line(&mut rest, &mut bad).map_err(ReadError::Io)?;
            return Ok(classify(&mut rest, &bad, ending, why)?);
        }
    })
}

/// A source split into blocks of complete lines; only the last may end without a newline.
struct Blocks<R> {
    source: R,
    carry: Vec<u8>,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.carry);
        loop {
            let known = block.len();
            if !self.ended {
                let wanted = BLOCK.max(known) as u64;
                block.reserve(BLOCK);
                self.ended = self.source.by_ref().take(wanted).read_to_end(&mut block)? == 0;
            }
            if self.ended {
                return Ok((!block.is_empty()).then_some(block));
            }
            let cut = block[known..].iter().rposition(|&byte| byte == b'\n');
            if let Some(cut) = cut {
                self.carry = block.split_off(known + cut + 1);
                return Ok(Some(block));
            }
            if block.len() as u64 > LONGEST_LINE {
                return Ok(Some(block));
            }
        }
    }
}

/// Result of processing a block.
struct Parsed<T, E> {
    block: Vec<u8>,
    records: Vec<T>,
    /// Sequence number of the first record.
    first: Option<u64>,
    /// Number of bytes of the valid records.
    good: usize,
    failure: Option<Failure<E>>,
}

enum Failure<E> {
    Frame(FrameError),
    Parse(E),
}

/// One thread with its input and output queues.
struct Lane<T, E> {
    input: SyncSender<Vec<u8>>,
    output: Receiver<Parsed<T, E>>,
}

impl<T: Send, E: Send> Lane<T, E> {
    fn open<'scope, P>(scope: &'scope Scope<'scope, '_>, parse: &'scope P) -> io::Result<Self>
    where
        P: Fn(Frame<'_>) -> Result<T, E> + Sync,
        T: 'scope,
        E: 'scope,
    {
        let (input, inbox) = sync_channel::<Vec<u8>>(DEPTH);
        let (outbox, output) = sync_channel(DEPTH);
        thread::Builder::new().spawn_scoped(scope, move || {
            while let Ok(block) = inbox.recv() {
                // The receiver is dropped when reading has failed elsewhere.
                if outbox.send(parse_block(block, parse)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { input, output })
    }

    fn submit(&self, block: Vec<u8>) {
        self.input.send(block).expect("a lane receives as long as its sender exists");
    }

    fn next_result(&self) -> Parsed<T, E> {
        self.output.recv().expect("a lane returns every block")
    }
}

fn parse_block<T, E>(block: Vec<u8>, parse: impl Fn(Frame<'_>) -> Result<T, E>) -> Parsed<T, E> {
    let mut parsed = Parsed { block: Vec::new(), records: Vec::new(), first: None, good: 0, failure: None };
    let mut rest = block.as_slice();
    while !rest.is_empty() {
        let start = rest;
        // `skip_until` is several times faster than a loop over all bytes, and cannot fail on memory.
        let line = &start[..rest.skip_until(b'\n').unwrap_or(start.len())];
        let expected = parsed.first.map(|first| first + parsed.records.len() as u64);
        let record = match checked(line, expected) {
            Ok(frame) => {
                parsed.first.get_or_insert(frame.seq);
                parse(frame).map_err(Failure::Parse)
            }
            Err(why) => Err(Failure::Frame(why)),
        };
        match record {
            Ok(record) => parsed.records.push(record),
            Err(failure) => {
                parsed.failure = Some(failure);
                break;
            }
        }
        parsed.good += line.len();
    }
    parsed.block = block;
    parsed
}
