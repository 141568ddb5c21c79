//! Run files and landscape files (TOML), and what is resolved from them.
#![no_main]

use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use playself::config::{LandscapeFile, RunFile, SearchPaths, resolve};
use playself::run::{plan_from_toml, plan_to_toml};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = LandscapeFile::parse(Path::new("fuzz.toml"), text).map_err(|mistakes| mistakes.to_string());
    match RunFile::parse(Path::new("fuzz.toml"), text) {
        Err(mistakes) => assert!(mistakes.count() > 0 && !mistakes.to_string().is_empty()),
        Ok(run) => {
            // Nothing outside is read: a fuzzed file must not reach the files of this machine.
            let outside = run.games.openings.is_some() || !run.engines.is_empty();
            if outside && !run.engines.iter().all(|engine| engine.engine == "builtin" && engine.dir.is_none())
            {
                return;
            }
            let paths = SearchPaths {
                this_program: PathBuf::from("/bin/true"),
                engines: PathBuf::from("/nonexistent"),
            };
            if run.games.openings.is_none()
                && let Ok(plan) = resolve(&run, &paths, 1)
            {
                let text = plan_to_toml(&plan).expect("a plan can be written");
                assert_eq!(plan_from_toml(&text).expect("a written plan can be read"), plan, "{text}");
            }
        }
    }
});
