//! EPD records, and books of them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use playself::chess::Epd;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Ok(epd) = Epd::parse(line) {
            let written = epd.to_string();
            let again = Epd::parse(&written).unwrap_or_else(|why| panic!("{why}: {written}"));
            assert_eq!(again.to_string(), written);
        }
    }
});
