//! Lines of the xboard protocol in both directions, with their features and options.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::protocol::xboard::{Capability, Command, FeatureSet, Reply, option_declaration};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut features = FeatureSet::silent();
    for line in text.lines() {
        let reply = Reply::parse(line);
        if let Reply::Features(list) = &reply {
            for (_, feature) in list.iter() {
                features.apply(&feature);
            }
        }
        let _ = format!("{reply:?} {:?} {:?}", Command::parse(line), option_declaration(line));
    }
    let _ = (features.has(Capability::Ping), features.plays("normal"));
});
