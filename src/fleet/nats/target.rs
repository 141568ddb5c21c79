//! Kinds of machines, and which of them a program is for.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Programs that an interpreter runs, which every machine may have.
pub const SCRIPT: &str = "script";

/// Returns the kind of this machine, as `x86_64-linux`.
pub fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Returns the kind of machine that a program is for; `None` if it is for none that can play.
pub fn target_of(program: &Path) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    File::open(program)?.take(20).read_to_end(&mut head)?;
    Ok(target_of_head(&head))
}

/// Returns whether a machine of the kind `here` can run a program for `target`.
pub fn runs(target: &str, here: &str) -> bool {
    // A processor of 64 bits runs programs of 32 as well.
    target == here || target == SCRIPT || (target == "x86-linux" && here == "x86_64-linux")
}

fn target_of_head(head: &[u8]) -> Option<String> {
    if head.starts_with(b"#!") {
        return Some(SCRIPT.to_owned());
    }
    let machine: [u8; 2] = head.strip_prefix(b"\x7fELF")?.get(14..16)?.try_into().ok()?;
    // Byte 5 of the file states the order of bytes.
    let machine = if head[5] == 2 { u16::from_be_bytes(machine) } else { u16::from_le_bytes(machine) };
    // Numbers of the ELF specification, names of Rust.
    let name = match machine {
        3 => "x86",
        40 => "arm",
        62 => "x86_64",
        183 => "aarch64",
        243 => "riscv64",
        258 => "loongarch64",
        21 => "powerpc64",
        22 => "s390x",
        _ => return None,
    };
    Some(format!("{name}-linux"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_machine_is_read_from_the_program() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(target_of(&own).unwrap(), Some(target()));
        let mut head = std::fs::read(own).unwrap();
        head.truncate(20);
        head[5] = 1;
        head[18..20].copy_from_slice(&183_u16.to_le_bytes());
        assert_eq!(target_of_head(&head).as_deref(), Some("aarch64-linux"));
        head[18..20].copy_from_slice(&9999_u16.to_le_bytes());
        assert_eq!(target_of_head(&head), None);
        assert_eq!(target_of_head(b"#!/bin/sh\n").as_deref(), Some(SCRIPT));
        for other in [b"".as_slice(), b"MZ\x90", b"\x7fELF", b"\x7fELF\x02\x01\x01"] {
            assert_eq!(target_of_head(other), None);
        }
    }

    #[test]
    fn a_machine_runs_its_own_programs_and_scripts() {
        assert!(runs("x86_64-linux", "x86_64-linux") && runs(SCRIPT, "aarch64-linux"));
        assert!(runs("x86-linux", "x86_64-linux") && !runs("x86_64-linux", "x86-linux"));
        assert!(!runs("aarch64-linux", "x86_64-linux"));
    }
}
