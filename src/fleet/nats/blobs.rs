//! Engines on their way to other machines: programs, networks and other files by their SHA-256.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fleet::nats::build::build;
use crate::fleet::nats::cache::{Cache, MOST_BLOB_BYTES, ProvideError};
use crate::fleet::nats::connection::{NatsError, ServerConnection};
use crate::fleet::nats::messages::{Binary, DescribedEngine, FileRef, Refusal, RefusalCode, Source};
use crate::fleet::nats::objects::ObjectError;
use crate::fleet::nats::target::{runs, target, target_of};
use crate::fleet::{Shipment, SourcePlan};
use crate::player::{EngineSpec, WorkingDir};
use crate::store::{FileHash, sha256_of};

/// Name of the program among the files of an engine.
const PROGRAM: &str = "program";

/// An engine as the coordinator has it.
#[derive(Clone, Debug)]
pub struct ShippedEngine {
    /// How it is started here.
    pub spec: EngineSpec,
    /// Its program.
    pub program: PathBuf,
    /// What else it needs on other machines.
    pub shipment: Shipment,
}

/// Why an engine cannot be sent to other machines.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The server failed.
    #[error("a file could not be stored: {0}")]
    Nats(#[from] NatsError),
    /// A file is missing or changed meanwhile.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    File(PathBuf, String),
    /// A program is for another kind of machine than stated, or for none.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Target(PathBuf, String),
    /// A revision cannot be read.
    #[error("revision {0}: {1}")]
    Source(String, String),
}

/// Stores what is missing of the engines, and returns them as workers need them.
pub async fn publish_engines(
    connection: &ServerConnection,
    engines: &[ShippedEngine],
) -> Result<Vec<DescribedEngine>, BlobError> {
    let mut description = Vec::with_capacity(engines.len());
    for engine in engines {
        description.push(publish_engine(connection, engine).await?);
    }
    Ok(description)
}

async fn publish_engine(
    connection: &ServerConnection,
    engine: &ShippedEngine,
) -> Result<DescribedEngine, BlobError> {
    let Shipment { files, binaries: others, source } = &engine.shipment;
    let mut programs: BTreeMap<String, &Path> = BTreeMap::new();
    programs.insert(program_target(&engine.program)?, &engine.program);
    for (stated, path) in others {
        let found = program_target(path)?;
        if found != *stated {
            return Err(BlobError::Target(path.clone(), format!("it is for {found}, not for {stated}")));
        }
        programs.insert(found, path);
    }
    let mut binaries = Vec::new();
    for (target, path) in programs {
        binaries.push(Binary { target, file: put_file(connection, path).await? });
    }
    let book = engine.spec.book.as_ref().map(|book| &book.file);
    let names = names(files.iter().chain(book.filter(|book| !files.contains(book))));
    let mut refs = BTreeMap::new();
    for (name, path) in &names {
        refs.insert(name.clone(), put_file(connection, path).await?);
    }
    let source = match source {
        Some(plan) => Some(put_source(connection, plan).await?),
        None => None,
    };
    let spec = portable(&engine.spec, &names);
    Ok(DescribedEngine { spec, files: refs, binaries, source, signature: None, probe_depth: 0 })
}

fn program_target(path: &Path) -> Result<String, BlobError> {
    let found = target_of(path).map_err(|why| BlobError::File(path.to_owned(), why.to_string()))?;
    found.ok_or_else(|| BlobError::Target(path.to_owned(), "it is not a program for Linux".to_owned()))
}

/// Gives every file a name of its own, by which the engine finds it: its file name, with a number if there are several.
fn names<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Vec<(String, PathBuf)> {
    let mut named: Vec<(String, PathBuf)> = Vec::new();
    for path in files {
        let plain = path.file_name().unwrap_or_default().to_string_lossy();
        let plain = plain.trim_start_matches('.').replace(['{', '}'], "_");
        let taken = |name: &str| name == PROGRAM || named.iter().any(|(other, _)| other == name);
        let numbered = (2..).map(|number| format!("{number}-{plain}"));
        let name =
            std::iter::once(plain.clone()).chain(numbered).find(|name| !name.is_empty() && !taken(name));
        named.extend(name.map(|name| (name, path.clone())));
    }
    named
}

/// Returns the specification with names in the place of paths of this machine.
fn portable(spec: &EngineSpec, names: &[(String, PathBuf)]) -> EngineSpec {
    // A longer path may contain a shorter one.
    let mut paths: Vec<(String, String)> = Vec::new();
    for (name, path) in names {
        for text in [Some(path.clone()), path.canonicalize().ok()].into_iter().flatten() {
            paths.push((text.display().to_string(), format!("{{file:{name}}}")));
        }
    }
    paths.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    let named = |text: &str| {
        // A relative path is recognised as a whole, or after the sign of `--net=FILE`.
        let (start, value) =
            text.rsplit_once('=').map_or(("", text), |(_, value)| (&text[..text.len() - value.len()], value));
        let whole = names.iter().find(|(_, path)| is_same(Path::new(value), path));
        let text = whole.map_or_else(|| text.to_owned(), |(name, _)| format!("{start}{{file:{name}}}"));
        paths.iter().fold(text, |text, (path, name)| text.replace(path, name))
    };
    let mut portable = rewritten(spec, named);
    portable.program = format!("{{file:{PROGRAM}}}").into();
    // A folder of this machine is none of another.
    portable.dir = WorkingDir::Private;
    portable
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    !one.as_os_str().is_empty() && real(one).is_some_and(|one| real(other) == Some(one))
}

/// Applies a function to every text of a specification that can name a file.
fn rewritten(spec: &EngineSpec, change: impl Fn(&str) -> String) -> EngineSpec {
    let mut spec = spec.clone();
    for text in spec.args.iter_mut().chain(&mut spec.init) {
        *text = change(text);
    }
    for (_, value) in &mut spec.env {
        *value = change(value);
    }
    for option in &mut spec.options {
        option.value = change(&option.value);
    }
    if let Some(book) = &mut spec.book {
        book.file = change(&book.file.to_string_lossy()).into();
    }
    spec
}

async fn put_file(connection: &ServerConnection, path: &Path) -> Result<FileRef, BlobError> {
    let failed = |why: String| BlobError::File(path.to_owned(), why);
    let hash = FileHash::of(path).map_err(|why| failed(why.to_string()))?;
    let size = path.metadata().map_err(|why| failed(why.to_string()))?.len();
    if size > MOST_BLOB_BYTES {
        return Err(failed(format!("it has {size} bytes; at most {MOST_BLOB_BYTES} can be sent to workers")));
    }
    match put_object(connection, &hash.sha256, || File::open(path)).await {
        Ok(()) => Ok(FileRef { sha256: hash.sha256, size }),
        Err(ObjectError::Nats(error)) => Err(error.into()),
        Err(error) => Err(failed(error.to_string())),
    }
}

async fn put_source(connection: &ServerConnection, plan: &SourcePlan) -> Result<Source, BlobError> {
    let failed = |why: String| BlobError::Source(plan.rev.clone(), why);
    // A revision that looks like an option must not become one.
    let archive = Command::new("git")
        .arg("-C")
        .arg(&plan.repo)
        .args(["archive", "--format=tar", "--end-of-options", &plan.rev])
        .output()
        .map_err(|why| failed(format!("git: {why}")))?;
    if !archive.status.success() {
        return Err(failed(String::from_utf8_lossy(&archive.stderr).trim().to_owned()));
    }
    let tar = put_bytes(connection, archive.stdout).await?;
    Ok(Source { rev: plan.rev.clone(), tar, build: plan.build.clone(), program: plan.program.clone() })
}

/// Stores an object. Objects that were not used for long make room for it.
async fn put_object<R: Read>(
    connection: &ServerConnection,
    sha256: &str,
    open: impl Fn() -> io::Result<R>,
) -> Result<(), ObjectError> {
    match connection.put_object(sha256, open()?).await {
        Err(ObjectError::Nats(NatsError::Full(why))) => match connection.delete_unused_objects().await? {
            0 => Err(NatsError::Full(why).into()),
            _ => connection.put_object(sha256, open()?).await,
        },
        stored => stored,
    }
}

/// Stores bytes under their SHA-256.
pub async fn put_bytes(connection: &ServerConnection, bytes: Vec<u8>) -> Result<FileRef, BlobError> {
    let (sha256, size) = (sha256_of(&bytes), bytes.len() as u64);
    match put_object(connection, &sha256, || Ok(bytes.as_slice())).await {
        Ok(()) => Ok(FileRef { sha256, size }),
        Err(ObjectError::Nats(error)) => Err(error.into()),
        Err(error) => Err(BlobError::File(sha256.into(), error.to_string())),
    }
}

/// Reads an object of at most `limit` bytes.
pub async fn get_bytes(
    connection: &ServerConnection,
    sha256: &str,
    limit: u64,
) -> Result<Vec<u8>, ObjectError> {
    let mut bytes = Vec::new();
    let sink = |piece: &[u8]| {
        bytes.extend_from_slice(piece);
        Ok(())
    };
    connection.get_object(sha256, limit, sink).await?;
    Ok(bytes)
}

/// Whether a worker builds engines from source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Building {
    /// It runs only programs that are sent to it.
    #[default]
    Refused,
    /// It runs the build commands of runs.
    Allowed,
}

impl Cache {
    /// Returns how an engine of a run is started on this machine, after fetching what is missing.
    pub async fn provide(
        &self,
        connection: &ServerConnection,
        engine: &DescribedEngine,
        building: Building,
    ) -> Result<EngineSpec, ProvideError> {
        let mut files = vec![(PROGRAM.to_owned(), self.program(connection, engine, building).await?)];
        for (name, file) in &engine.files {
            if !is_plain(name) || name == PROGRAM {
                let why = format!("{name:?} is not the name of a file");
                return Err(Refusal { code: RefusalCode::Files, why }.into());
            }
            files.push((name.clone(), self.blob(connection, file).await?));
        }
        let folder = self.engine_folder(&files)?;
        Ok(local(&engine.spec, &folder, &files))
    }

    async fn program(
        &self,
        connection: &ServerConnection,
        engine: &DescribedEngine,
        building: Building,
    ) -> Result<PathBuf, ProvideError> {
        let here = target();
        let fitting = |binary: &&Binary| runs(&binary.target, &here);
        // A program for exactly this machine before one that it can run as well.
        let exact = engine.binaries.iter().find(|binary| binary.target == here);
        if let Some(binary) = exact.or_else(|| engine.binaries.iter().find(fitting)) {
            return self.blob(connection, &binary.file).await;
        }
        let name = &engine.spec.name;
        match (&engine.source, building) {
            (Some(source), Building::Allowed) => {
                let tar = self.blob(connection, &source.tar).await?;
                build(self.dir(), source, &tar).await
            }
            (Some(_), Building::Refused) => {
                let why =
                    format!("{name} has to be built for {here}, and this worker does not build (--build)");
                Err(Refusal { code: RefusalCode::Build, why }.into())
            }
            (None, _) => {
                let targets: Vec<&str> =
                    engine.binaries.iter().map(|binary| binary.target.as_str()).collect();
                let why = format!("{name} has no program for {here}, only for {}", targets.join(", "));
                Err(Refusal { code: RefusalCode::Target, why }.into())
            }
        }
    }
}

/// Returns the specification with paths of this machine in the place of names.
fn local(spec: &EngineSpec, folder: &Path, files: &[(String, PathBuf)]) -> EngineSpec {
    let place = |name: &str| folder.join(name).display().to_string();
    let named = |text: &str| {
        files
            .iter()
            .fold(text.to_owned(), |text, (name, _)| text.replace(&format!("{{file:{name}}}"), &place(name)))
    };
    let mut local = rewritten(spec, named);
    local.program = folder.join(PROGRAM);
    local.dir = WorkingDir::Private;
    local
}

/// Returns whether a name stays in its folder.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && !name.contains(['/', '\0', '{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{EngineBookPlan, EngineOption};

    #[test]
    fn paths_become_names_and_names_become_paths_of_the_other_machine() {
        let dir = tempfile::tempdir().unwrap();
        let net = dir.path().join("a.nnue");
        let longer = dir.path().join("a.nnue.big");
        std::fs::write(&net, "").unwrap();
        std::fs::write(&longer, "").unwrap();
        let mut spec = EngineSpec::uci("fish", "/home/me/fish");
        spec.args = vec![format!("--net={}", net.display()), "-x".to_owned()];
        spec.options = vec![
            EngineOption::new("EvalFile", longer.display().to_string()),
            EngineOption::new("Hash", "16"),
        ];
        spec.env = vec![("NET".to_owned(), net.display().to_string())];
        spec.dir = WorkingDir::Path("/home/me".into());
        let book = dir.path().join("moves.bin");
        spec.book = Some(EngineBookPlan { file: book.clone(), depth: 8 });
        let names = names(&[net, longer, book]);
        let sent = portable(&spec, &names);
        assert_eq!(sent.program, Path::new("{file:program}"));
        assert_eq!(sent.args, ["--net={file:a.nnue}", "-x"]);
        assert_eq!(sent.options[0].value, "{file:a.nnue.big}");
        assert_eq!(sent.env[0].1, "{file:a.nnue}");
        let files = names.to_vec();
        let there = local(&sent, Path::new("/cache/e"), &files);
        assert_eq!(there.program, Path::new("/cache/e/program"));
        assert_eq!(there.args, ["--net=/cache/e/a.nnue", "-x"]);
        assert_eq!(there.book.unwrap().file, Path::new("/cache/e/moves.bin"));
        assert_eq!(there.options[0].value, "/cache/e/a.nnue.big");
        assert_eq!((there.options[1].value.as_str(), there.dir), ("16", WorkingDir::Private));
    }

    #[test]
    fn equal_file_names_of_different_folders_get_numbers() {
        let names = names(&["/a/net".into(), "/b/net".into(), "/c/program".into(), "/d/.hidden".into()]);
        let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["net", "2-net", "2-program", "hidden"]);
        assert!(names.iter().all(|name| is_plain(name)));
        for name in ["", "..", "a/b", ".lock", "{file:x}", "a\0"] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
