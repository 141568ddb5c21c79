//! Programs that this machine cannot run, recognised by the first bytes of their files.
//!
//! The system hands what it does not recognise to a shell, whose message is about the text of the file.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Length of the longest first line that the kernel reads.
const FIRST_LINE: usize = 256;

/// Returns why the program at `path` cannot be run here as the rest of a sentence that begins with its path, or `None` if
/// nothing speaks against it.
pub(super) fn why_unusable(path: &Path) -> Option<String> {
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Some("is a configuration file, not an engine; `playself match FILE` plays one".to_owned());
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut head = Vec::new();
    (&mut file).take(FIRST_LINE as u64).read_to_end(&mut head).ok()?;
    if head.is_empty() {
        return Some("is an empty file".to_owned());
    }
    if let Some(problem) = interpreter_problem(&head) {
        return Some(problem);
    }
    let problem = match foreign_kind(&head) {
        Some(foreign) => {
            format!("is a program for {foreign}; a program for Linux on this processor is needed")
        }
        None if head.starts_with(ELF) => {
            let whole = length_of_elf(&head, &mut file)?;
            return (length < whole).then(|| {
                format!("is an incomplete program: it has {length} of at least {whole} bytes; build or copy it again")
            });
        }
        None if head.contains(&0) => "is neither a program nor a script".to_owned(),
        None => return None,
    };
    // Wine and emulators are registered with the kernel, which then runs such files.
    (!has_handlers()).then_some(problem)
}

/// Returns the number of bytes that a program needs: its table of segments, and those of them that are loaded. `head` are the
/// first bytes of `file`. A file that ends before its table needs it at least. `None` if the head makes no sense.
fn length_of_elf(head: &[u8], file: &mut (impl Read + Seek)) -> Option<u64> {
    let layout = if *head.get(4).unwrap_or(&ELF_64) == ELF_64 { &LAYOUT_64 } else { &LAYOUT_32 };
    let Some(fields) = head.get(..layout.head) else { return Some(layout.head as u64) };
    let table = number(fields, layout.table, layout.word)?;
    let (size, count) = (number(fields, layout.entry_size, 2)?, number(fields, layout.entry_count, 2)?);
    let table_end = table.checked_add(size * count)?;
    let mut entries = vec![0; usize::try_from(size * count).ok()?];
    file.seek(SeekFrom::Start(table)).ok()?;
    if file.read_exact(&mut entries).is_err() {
        return Some(table_end);
    }
    let segments = entries.chunks_exact((size as usize).max(1));
    let loaded = segments.filter(|segment| number(segment, 0, 4) == Some(LOADED));
    let ends = loaded.filter_map(|segment| {
        let [start, length] = layout.segment.map(|place| number(segment, place, layout.word));
        start?.checked_add(length?)
    });
    Some(ends.fold(table_end, u64::max))
}

/// Returns the number of `size` bytes at `place`, the lowest byte first.
fn number(bytes: &[u8], place: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(place..place + size)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// The first bytes of every program for Linux.
const ELF: &[u8] = b"\x7fELF";
/// The fifth byte of a program of 64 bits.
const ELF_64: u8 = 2;
/// The kind of a segment that the kernel loads.
const LOADED: u64 = 1;

/// Where the head of a program and its segments hold what the kernel reads.
struct Layout {
    /// Length of the head.
    head: usize,
    /// Length of an address or offset.
    word: usize,
    /// The offset of the table of segments, in the head.
    table: usize,
    /// The length of an entry of the table, and the number of entries, in the head.
    entry_size: usize,
    entry_count: usize,
    /// The offset and the length of a segment in the file, in its entry.
    segment: [usize; 2],
}

const LAYOUT_32: Layout =
    Layout { head: 52, word: 4, table: 28, entry_size: 42, entry_count: 44, segment: [4, 16] };
const LAYOUT_64: Layout =
    Layout { head: 64, word: 8, table: 32, entry_size: 54, entry_count: 56, segment: [8, 32] };

/// Returns what is wrong with the interpreter that the first line of a script names.
fn interpreter_problem(head: &[u8]) -> Option<String> {
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let has_return = line.ends_with('\r');
    let interpreter = line.trim_start().split([' ', '\t']).next().unwrap_or_default();
    if has_return {
        return Some(
            "is a script with the line ends of Windows; `sed -i 's/\\r$//' FILE` removes them".to_owned(),
        );
    }
    (!Path::new(interpreter).exists())
        .then(|| format!("cannot be run: its first line names `{interpreter}`, which does not exist"))
}

/// Returns the system or processor that a program is for, if it is not this one.
fn foreign_kind(head: &[u8]) -> Option<String> {
    match head {
        [b'M', b'Z', ..] => Some("Windows".to_owned()),
        [0xcf, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => Some("macOS".to_owned()),
        [0x7f, b'E', b'L', b'F', ..] => {
            let machine = |head: &[u8]| number(head, 18, 2);
            let mut own = [0; 20];
            File::open("/proc/self/exe").ok()?.read_exact(&mut own).ok()?;
            let (theirs, own) = (machine(head)?, machine(&own)?);
            // Programs of 32 bits run on the processors of 64 bits of the same family.
            let runs = theirs == own || (theirs == X86 && own == X86_64) || (theirs == ARM && own == AARCH64);
            (!runs).then(|| format!("another processor ({})", machine_name(theirs)))
        }
        _ => None,
    }
}

/// Numbers of processors in the heads of programs.
const X86: u64 = 3;
const ARM: u64 = 40;
const X86_64: u64 = 62;
const AARCH64: u64 = 183;
const RISCV: u64 = 243;

fn machine_name(machine: u64) -> String {
    match machine {
        X86 => "x86".to_owned(),
        ARM => "ARM".to_owned(),
        X86_64 => "x86-64".to_owned(),
        AARCH64 => "AArch64".to_owned(),
        RISCV => "RISC-V".to_owned(),
        other => format!("number {other}"),
    }
}

/// Returns whether the kernel runs further kinds of programs through others.
fn has_handlers() -> bool {
    let entries = fs::read_dir("/proc/sys/fs/binfmt_misc").into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name != "register" && name != "status")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_other_systems_and_scripts_without_an_interpreter_are_recognised() {
        assert_eq!(foreign_kind(b"MZ\x90\0"), Some("Windows".to_owned()));
        assert_eq!(foreign_kind(b"\xcf\xfa\xed\xfe"), Some("macOS".to_owned()));
        let mut own = [0; 64];
        File::open("/proc/self/exe").unwrap().read_exact(&mut own).unwrap();
        assert_eq!(foreign_kind(&own), None);
        own[18..20].copy_from_slice(&RISCV.to_le_bytes()[..2]);
        let foreign = foreign_kind(&own);
        if cfg!(target_arch = "riscv64") {
            assert_eq!(foreign, None);
        } else {
            assert_eq!(foreign, Some("another processor (RISC-V)".to_owned()));
        }
        for (head, part) in [
            ("#!/no/such/python -u\nprint()", Some("names `/no/such/python`, which does not exist")),
            ("#!/bin/sh\r\necho", Some("line ends of Windows")),
            ("#! /bin/sh\necho", None),
            ("echo uciok", None),
        ] {
            let problem = interpreter_problem(head.as_bytes());
            let holds = match (part, &problem) {
                (Some(part), Some(problem)) => problem.contains(part),
                (part, problem) => part.is_none() && problem.is_none(),
            };
            assert!(holds, "{head}: {problem:?}");
        }
    }

    #[test]
    fn incomplete_empty_and_other_binary_files_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        let whole = fs::read("/bin/sh").unwrap();
        let needed = length_of_elf(&whole, &mut std::io::Cursor::new(&whole)).unwrap() as usize;
        assert!(needed > whole.len() / 2 && needed <= whole.len(), "{needed} of {}", whole.len());
        let why = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            why_unusable(&path)
        };
        // What follows the last segment is not loaded.
        for length in [whole.len(), needed] {
            assert_eq!(why(&whole[..length]), None, "{length} bytes");
        }
        for length in [4, 20, 63, 64, 200, needed - 1] {
            let problem = why(&whole[..length]).unwrap();
            let stated = format!("is an incomplete program: it has {length} of at least ");
            assert!(problem.starts_with(&stated), "{problem}");
        }
        assert_eq!(why(b""), Some("is an empty file".to_owned()));
        if !has_handlers() {
            let archive = why(b"\x1f\x8b\x08\0\0\0\0\0");
            assert_eq!(archive, Some("is neither a program nor a script".to_owned()));
        }
        assert_eq!(why(b"echo uciok\n"), None, "a shell runs a script without a first line");
    }
}
