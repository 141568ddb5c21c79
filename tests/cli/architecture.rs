//! `docs/architecture.md` against the code: the table of modules, the journeys and every path that a document names.

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENT: &str = include_str!("../../docs/architecture.md");

/// A row of the table of modules.
struct Row {
    module: String,
    description: String,
    modules: Vec<String>,
    crates: Vec<String>,
}

#[test]
fn every_module_names_exactly_the_modules_and_crates_of_its_row() {
    let mut differences = Vec::new();
    for row in table_of_modules() {
        let code: Vec<(PathBuf, String)> =
            files_of(&row.module).into_iter().map(|file| (file.clone(), code_of(&file))).collect();
        let (mut modules, mut crates) = (Vec::new(), Vec::new());
        for (file, code) in &code {
            for module in modules_named_in(code, &row.module) {
                if !row.modules.contains(&module) {
                    differences.push(format!("{} names the module {module}", file.display()));
                }
                modules.push(module);
            }
            for outside in dependencies().into_iter().filter(|outside| names_crate(code, outside)) {
                if !row.crates.contains(&outside) {
                    differences.push(format!("{} names the crate {outside}", file.display()));
                }
                crates.push(outside);
            }
        }
        for (allowed, used) in [(&row.modules, &modules), (&row.crates, &crates)] {
            let unused = allowed.iter().filter(|name| !used.contains(name));
            differences.extend(unused.map(|name| format!("{} may name {name} and does not", row.module)));
        }
    }
    assert!(differences.is_empty(), "docs/architecture.md and src differ:\n{}", differences.join("\n"));
}

#[test]
fn a_module_names_only_modules_above_it_in_the_table() {
    let rows = table_of_modules();
    for (place, row) in rows.iter().enumerate() {
        for module in &row.modules {
            let found = rows.iter().position(|other| other.module == *module);
            assert!(found.is_some_and(|found| found < place), "{} names {module}", row.module);
        }
    }
}

#[test]
fn every_module_and_every_dependency_is_in_the_table() {
    let rows = table_of_modules();
    for entry in fs::read_dir("src").unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(name == "lib" || rows.iter().any(|row| row.module == name), "src/{name} has no row");
    }
    for row in &rows {
        assert!(!files_of(&row.module).is_empty(), "src has no module {}", row.module);
    }
    for dependency in dependencies() {
        assert!(rows.iter().any(|row| row.crates.contains(&dependency)), "{dependency} has no row");
    }
}

#[test]
fn every_file_of_the_program_stays_within_its_line_budget() {
    let rows = table_of_modules();
    let text = &rows.iter().find(|row| row.module == "bin").expect("the programs have a row").description;
    let (_, rest) = text.split_once("at most ").expect("the row of the programs states a budget");
    let budget: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let over: Vec<String> = rust_files(Path::new("src/bin/playself"))
        .iter()
        .map(|file| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > budget)
        .map(|(file, lines)| format!("{} has {lines} lines, at most {budget} are allowed", file.display()))
        .collect();
    assert!(over.is_empty(), "{}", over.join("\n"));
}

#[test]
fn every_hop_of_the_journeys_is_in_the_code() {
    let hops = rows_under("| file | functions | what happens |");
    assert!(hops.len() > 50, "only {} hops were found", hops.len());
    for hop in hops {
        let file = code_spans(&hop[0]).next().expect("a hop begins with its file");
        let code = fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for function in code_spans(&hop[1]) {
            let name = function.rsplit("::").next().unwrap();
            let defined = ["(", "<"].iter().any(|next| code.contains(&format!("fn {name}{next}")));
            assert!(defined, "{file} does not define `{function}`");
        }
    }
}

#[test]
fn every_path_that_a_document_names_exists() {
    let mut documents = vec![PathBuf::from("README.md"), PathBuf::from("openings/README.md")];
    let docs = fs::read_dir("docs").unwrap().map(|entry| entry.unwrap().path());
    documents.extend(docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    let mut missing = Vec::new();
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for span in text.lines().flat_map(code_spans) {
            let path = span.split([' ', ':']).next().unwrap_or_default();
            let is_path = ["src/", "tests/", "docs/", "benches/", "configs/", "openings/", ".ci/"]
                .iter()
                .any(|folder| path.starts_with(folder));
            let is_pattern = ["NAME", "*", "…", "<"].iter().any(|part| path.contains(part));
            if is_path && !is_pattern && !Path::new(path).exists() {
                missing.push(format!("{} names {path}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn table_of_modules() -> Vec<Row> {
    let list = |cell: &String| -> Vec<String> {
        cell.split(", ").filter(|name| *name != "–").map(str::to_owned).collect()
    };
    let rows = rows_under("| module | what it is | may name | outside crates |");
    rows.iter()
        .map(|cells| Row {
            module: code_spans(&cells[0]).next().expect("a row begins with its module").to_owned(),
            description: cells[1].clone(),
            modules: list(&cells[2]),
            crates: list(&cells[3]),
        })
        .collect()
}

/// The cells of every table of the document with this head.
fn rows_under(head: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut lines = DOCUMENT.lines();
    while lines.by_ref().any(|line| line == head) {
        let body = lines.by_ref().skip(1).take_while(|line| line.starts_with('|'));
        rows.extend(body.map(|line| {
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        }));
    }
    assert!(!rows.is_empty(), "docs/architecture.md has no table {head}");
    rows
}

/// The texts between backticks.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The dependencies of the crate, spelt as in code.
fn dependencies() -> Vec<String> {
    let manifest = include_str!("../../Cargo.toml");
    let (_, section) = manifest.split_once("\n[dependencies]\n").expect("the crate has dependencies");
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.replace('-', "_")).collect()
}

/// The file without comment lines and without its unit tests, which may use anything.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The other modules of the library that `code` of `module` names. A program names them by the name of the crate.
fn modules_named_in(code: &str, module: &str) -> Vec<String> {
    let prefix = if module == "bin" { "playself::" } else { "crate::" };
    let starts = code.match_indices(prefix).filter(|(at, _)| !code[..*at].ends_with(is_part_of_a_path));
    let names = starts.map(|(at, _)| {
        let rest = &code[at + prefix.len()..];
        let length = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &rest[..length.unwrap_or(rest.len())]
    });
    // An exported macro is at the root of the crate, in whichever module it is written.
    let is_own = |name: &str| name == module || code.contains(&format!("macro_rules! {name} "));
    names.filter(|name| !is_own(name)).map(str::to_owned).collect()
}

fn names_crate(code: &str, outside: &str) -> bool {
    let prefix = format!("{outside}::");
    code.match_indices(&prefix).any(|(at, _)| !code[..at].ends_with(is_part_of_a_path))
}

/// Whether what follows this letter is not the start of a path: `$crate::` of a macro, `other::name`.
fn is_part_of_a_path(letter: char) -> bool {
    letter.is_alphanumeric() || "_:$".contains(letter)
}

/// The files of a module, without those that hold nothing but unit tests.
fn files_of(module: &str) -> Vec<PathBuf> {
    let single = Path::new("src").join(format!("{module}.rs"));
    if single.exists() { vec![single] } else { rust_files(&Path::new("src").join(module)) }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|path| path.extension().is_some_and(|end| end == "rs") && !is_test_file(path)).collect()
}

fn is_test_file(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
}
