//! Programs that this machine cannot run, recognised by the first bytes of their files.
//!
//! The system hands what it does not recognise to a shell, whose message is about the text of the file.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Length of the longest first line that the kernel reads.
const FIRST_LINE: usize = 256;

/// Returns why the program at `path` cannot be run here as the rest of a sentence that begins with its path, or `None` if
/// nothing speaks against it.
pub(super) fn why_unusable(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(FIRST_LINE as u64).read_to_end(&mut head).ok()?;
    if let Some(problem) = interpreter_problem(&head) {
        return Some(problem);
    }
    let foreign = foreign_kind(&head)?;
    // Wine and emulators are registered with the kernel, which then runs such files.
    (!has_handlers())
        .then(|| format!("is a program for {foreign}; a program for Linux on this processor is needed"))
}

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
            let machine = |head: &[u8]| Some(u16::from_le_bytes([*head.get(18)?, *head.get(19)?]));
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
const X86: u16 = 3;
const ARM: u16 = 40;
const X86_64: u16 = 62;
const AARCH64: u16 = 183;
const RISCV: u16 = 243;

fn machine_name(machine: u16) -> String {
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
        own[18..20].copy_from_slice(&RISCV.to_le_bytes());
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
}
