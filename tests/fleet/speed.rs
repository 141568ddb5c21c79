//! What a worker finds out about engines before the first pair.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use playself::fleet::nats::messages::RefusalCode;
use playself::fleet::nats::{check_signature, probe, reference};
use playself::player::EngineSpec;

fn fake(args: &[&str]) -> EngineSpec {
    let mut spec = EngineSpec::uci("fake", env!("CARGO_BIN_EXE_fake-engine"));
    spec.args = args.iter().map(|&arg| arg.to_owned()).collect();
    spec
}

/// Row 223: an engine with the right hash that plays other moves, as on a machine with bad memory.
#[tokio::test]
async fn row_223_an_engine_that_plays_differently_has_another_signature() {
    let expected = reference(&fake(&["--salt", "1", "--score", "10"]), None).await.unwrap();
    assert!(expected.signature.is_some() && expected.nps.is_some(), "{expected:?}");
    let same = probe(&fake(&["--salt", "1", "--score", "10"]), 3, expected.depth, None).await.unwrap();
    check_signature("fake", expected.signature.as_deref(), &same).unwrap();
    let other = probe(&fake(&["--salt", "2", "--score", "10"]), 1, expected.depth, None).await.unwrap();
    let refusal = check_signature("fake", expected.signature.as_deref(), &other).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Signature);
}

/// Row 221: another architecture, a missing processor feature, a missing library.
#[tokio::test]
async fn row_221_a_program_that_cannot_run_here_is_refused_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let program = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        EngineSpec::uci(name, path)
    };
    let mut foreign = fs::read("/bin/true").unwrap();
    foreign[18] = 183 ^ foreign[18] ^ 62;
    let cases = [
        // The system runs it, or hands it to a shell, which does not understand it.
        (program("foreign", &foreign), "start"),
        (program("illegal", b"#!/bin/sh\nkill -ILL $$\n"), "target-cpu=native"),
        (program("unlinked", b"#!/bin/sh\necho libfish.so: cannot open >&2\nexit 127\n"), "libfish.so"),
        (program("absent", b"#!/no/such/interpreter\n"), "cannot be started"),
    ];
    for (spec, reason) in cases {
        let refusal = probe(&spec, 2, 6, None).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::Target, "{refusal}");
        assert!(refusal.why.contains(reason) && refusal.why.contains(&spec.name), "{refusal}");
    }
    let refusal = probe(&fake(&["--on", "on go#2: exit 3"]), 2, 6, None).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Signature, "{refusal}");
}
