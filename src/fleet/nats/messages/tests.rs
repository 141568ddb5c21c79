//! Messages as bytes.

use super::*;
use proptest::prelude::*;

fn name() -> WorkerName {
    WorkerName::try_from("oak".to_owned()).unwrap()
}

fn run() -> RunId {
    RunId::try_from("0123456789abcdef".to_owned()).unwrap()
}

#[test]
fn a_claim_has_the_keys_of_the_contract() {
    let token = Token { pair: 7, attempt: 1, delivery: 2 };
    let claim = WorkerReport::Claim { worker: name(), token, scale_ppm: None };
    let text = String::from_utf8(claim.encode()).unwrap();
    assert_eq!(text, r#"{"v":1,"kind":"claim","worker":"oak","pair":7,"attempt":1,"delivery":2}"#);
    assert_eq!(WorkerReport::decode(text.as_bytes()), Ok(claim));
}

#[test]
fn lists_of_tokens_are_arrays_of_numbers() {
    let mut answer = CoordinatorAnswer::new(run());
    answer.stale.push(TokenTuple(Token { pair: 7, attempt: 1, delivery: 2 }));
    let text = String::from_utf8(answer.encode()).unwrap();
    assert_eq!(text, r#"{"v":1,"run":"0123456789abcdef","stale":[[7,1,2]]}"#);
    assert_eq!(CoordinatorAnswer::decode(text.as_bytes()), Ok(answer));
}

#[test]
fn unknown_keys_are_ignored_and_newer_versions_are_named() {
    let text = r#"{"v":1,"run":"0123456789abcdef","over":[],"colour":"red"}"#;
    assert_eq!(CoordinatorAnswer::decode(text.as_bytes()), Ok(CoordinatorAnswer::new(run())));
    let text = r#"{"v":2,"shape":"unknown"}"#;
    assert_eq!(CoordinatorAnswer::decode(text.as_bytes()), Err(BadMessage::Newer(2)));
}

/// Row 233.
#[test]
fn row_233_huge_deep_and_broken_messages_are_refused_without_a_panic() {
    let deep = format!(r#"{{"v":1,"run":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(CoordinatorAnswer::decode(deep.as_bytes()), Err(BadMessage::Unreadable(_))));
    let huge = vec![b' '; 10 << 20];
    assert_eq!(WorkerReport::decode(&huge), Err(BadMessage::TooLarge(10 << 20)));
    for text in ["", "{}", "null", "[]", r#"{"v":-1}"#, r#"{"v":1,"kind":"pair","worker":"../x"}"#] {
        assert!(WorkerReport::decode(text.as_bytes()).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn mutated_messages_are_read_or_refused_without_a_panic(
        at in 0_usize..200, byte in any::<u8>(), cut in 0_usize..200
    ) {
        let token = Token { pair: 7, attempt: 1, delivery: 2 };
        let reason = VoidReason::Suspended { gap_ms: 9 };
        let mut bytes = WorkerReport::Void { worker: name(), token, reason }.encode();
        let at = at % bytes.len();
        bytes[at] = byte;
        bytes.truncate(bytes.len() - cut % bytes.len());
        let _ = WorkerReport::decode(&bytes);
        let _ = Heartbeat::decode(&bytes);
        let _ = Job::decode(&bytes);
    }
}
