//! Plans: read, shown without secrets, compared, written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::run::{plan_changes, plan_from_toml, plan_to_toml, shown_plan};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = shown_plan(text);
    if let Ok(plan) = plan_from_toml(text) {
        let written = plan_to_toml(&plan).expect("a plan that was read can be written");
        let again = plan_from_toml(&written).expect("a written plan can be read");
        assert_eq!(plan_to_toml(&again).expect("written before"), written);
        assert!(plan_changes(&written, &written).is_empty());
        let shown = shown_plan(&written);
        for (name, value) in plan.engines.iter().flat_map(|engine| &engine.spec.env) {
            // Short values also occur elsewhere in a plan.
            let hidden = value.len() < 12
                || written.matches(value.as_str()).count() > 1
                || !shown.contains(value.as_str());
            assert!(hidden, "{name}: {shown}");
        }
    }
});
