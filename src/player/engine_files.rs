//! Files beside its program that decide how an engine plays.

use std::path::{Path, PathBuf};

use crate::player::{EngineSpec, WorkingDir};

/// Endings of files that an engine reads and does not write: scripts, archives, networks, settings. A log, a cache or a file of
/// experience changes while a run is played, which is no fault.
const INPUTS: [&str; 30] = [
    "bin", "class", "cfg", "conf", "dll", "exe", "gz", "ini", "jar", "js", "json", "lua", "mjs", "net", "nn",
    "nnue", "npz", "onnx", "pb", "pl", "pt", "py", "pyz", "rb", "sh", "so", "toml", "weights", "yaml", "yml",
];

impl EngineSpec {
    /// Returns its book and the files that its arguments and options name, as a whole or after the sign of `--net=FILE`, and
    /// that it is not expected to write to.
    pub fn named_files(&self) -> Vec<PathBuf> {
        let texts = self.args.iter().chain(self.options.iter().map(|option| &option.value));
        let mut files: Vec<PathBuf> = self.book.iter().map(|book| book.file.clone()).collect();
        for path in texts.flat_map(|text| self.paths_in(text)).map(|(_, path)| path) {
            let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
            let is_input = ending.is_some_and(|ending| INPUTS.contains(&ending.as_str()));
            if is_input && path.is_file() && !files.contains(&path) {
                files.push(path);
            }
        }
        files
    }

    /// Puts the file `new` in the place of `old`, as the program, as the book and wherever an argument or an option names it.
    pub fn replace_file(&mut self, old: &Path, new: &Path) {
        let replaced = |text: &str| {
            let (start, _) = self.paths_in(text).into_iter().find(|(_, path)| path == old)?;
            Some(format!("{}{}", &text[..start], new.display()))
        };
        let args: Vec<String> =
            self.args.iter().map(|text| replaced(text).unwrap_or_else(|| text.clone())).collect();
        let values: Vec<Option<String>> = self.options.iter().map(|option| replaced(&option.value)).collect();
        self.args = args;
        for (option, value) in self.options.iter_mut().zip(values) {
            option.value = value.unwrap_or_else(|| std::mem::take(&mut option.value));
        }
        let book = self.book.as_mut().map(|book| &mut book.file);
        for file in [Some(&mut self.program), book].into_iter().flatten().filter(|file| *file == old) {
            *file = new.to_owned();
        }
    }

    /// Returns the paths that a text may be or end with, each with the place where it begins. Links are not resolved: what they
    /// point to may change.
    fn paths_in(&self, text: &str) -> Vec<(usize, PathBuf)> {
        let after_sign = text.find('=').map(|at| at + 1);
        let starts = [Some(0), after_sign].into_iter().flatten().filter(|&start| start < text.len());
        starts.filter_map(|start| Some((start, self.absolute(Path::new(&text[start..]))?))).collect()
    }

    fn absolute(&self, path: &Path) -> Option<PathBuf> {
        match &self.dir {
            _ if path.is_absolute() => Some(path.to_owned()),
            WorkingDir::Inherited => std::path::absolute(path).ok(),
            WorkingDir::Path(dir) => Some(dir.join(path)),
            WorkingDir::Private => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{EngineBookPlan, EngineOption};

    #[test]
    fn files_are_found_in_arguments_and_options_and_replaced_there() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["engine.py", "a.nnue", "b.pb.gz", "played.log", "experience.exp"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let path = |name: &str| folder.path().join(name);
        let mut spec = EngineSpec::uci("e", "/usr/bin/python3");
        spec.dir = WorkingDir::Path(folder.path().to_owned());
        let net = format!("--weights={}", path("b.pb.gz").display());
        spec.args = ["-S", "engine.py", &net, "--log=played.log", "missing.py"].map(str::to_owned).to_vec();
        let option = |name: &str, value: &str| EngineOption::new(name, value);
        spec.options =
            vec![option("EvalFile", "a.nnue"), option("Experience", "experience.exp"), option("Hash", "16")];
        assert_eq!(spec.named_files(), [path("engine.py"), path("b.pb.gz"), path("a.nnue")]);
        std::fs::remove_file(path("a.nnue")).unwrap();
        for name in ["engine.py", "a.nnue", "b.pb.gz"] {
            spec.replace_file(&path(name), Path::new("/kept"));
        }
        spec.replace_file(Path::new("/usr/bin/python3"), Path::new("/program"));
        assert_eq!(spec.args, ["-S", "/kept", "--weights=/kept", "--log=played.log", "missing.py"]);
        assert_eq!(spec.options[0].value, "/kept");
        assert_eq!((spec.options[2].value.as_str(), spec.program.as_path()), ("16", Path::new("/program")));
        spec.book = Some(EngineBookPlan { file: path("moves.polyglot"), depth: 8 });
        assert_eq!(spec.named_files()[0], path("moves.polyglot"), "whatever its name");
        spec.replace_file(&path("moves.polyglot"), Path::new("/kept"));
        assert_eq!(spec.book.take().unwrap().file, Path::new("/kept"));
        spec.dir = WorkingDir::Private;
        spec.args = vec!["engine.py".to_owned(), path("engine.py").display().to_string()];
        assert_eq!(spec.named_files(), [path("engine.py")], "a private folder is empty");
    }
}
