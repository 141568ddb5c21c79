//! The tables of one or more folders.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::chess::Position;
use crate::syzygy::layout::MEN;
use crate::syzygy::material::{Material, StrongSide};
use crate::syzygy::source::{CHECKED_BYTES, check_length};
use crate::syzygy::table::{Kind, Table};
use crate::syzygy::{Damage, ProbeError, TableProblem};

/// The most men of a table.
pub const MAX_MEN: u32 = MEN as u32;

/// Tables found by name. A table is opened and checked when it is first needed; it may be used by many threads.
pub struct Tablebases {
    wdl: HashMap<Material, TableFile>,
    dtz: HashMap<Material, TableFile>,
    max_men: u32,
}

struct TableFile {
    path: PathBuf,
    table: OnceLock<Result<Table, Arc<TableProblem>>>,
}

impl TableFile {
    fn get(&self, kind: Kind, material: Material) -> Result<&Table, ProbeError> {
        let open = || {
            Table::open(&self.path, kind, material)
                .map_err(|damage| Arc::new(TableProblem { path: self.path.clone(), damage }))
        };
        self.table.get_or_init(open).as_ref().map_err(|problem| ProbeError::Damaged(problem.clone()))
    }

    fn damaged(&self, damage: Damage) -> ProbeError {
        ProbeError::Damaged(Arc::new(TableProblem { path: self.path.clone(), damage }))
    }
}

impl Tablebases {
    /// Lists the tables in these folders; a table of an earlier folder hides one of the same name in a later one.
    /// Returns also what is wrong with folders, and with files whose length is not that of a table.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> (Self, Vec<TableProblem>) {
        let mut tables = Self { wdl: HashMap::new(), dtz: HashMap::new(), max_men: 0 };
        let mut problems = Vec::new();
        for folder in folders {
            if let Err(error) = tables.add_folder(folder.as_ref(), &mut problems) {
                let damage = Damage::Unreadable(error.to_string());
                problems.push(TableProblem { path: folder.as_ref().to_owned(), damage });
            }
        }
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        tables.max_men = tables.wdl.keys().map(|material| material.men()).max().unwrap_or(0);
        (tables, problems)
    }

    fn add_folder(&mut self, folder: &Path, problems: &mut Vec<TableProblem>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('.'));
            let Some((name, suffix)) = name else { continue };
            let files = match suffix {
                "rtbw" => &mut self.wdl,
                "rtbz" => &mut self.dtz,
                _ => continue,
            };
            let Some(material) =
                Material::parse(name).filter(|material| (3..=MAX_MEN).contains(&material.men()))
            else {
                continue;
            };
            match path.metadata().map(|metadata| check_length(metadata.len())) {
                Ok(Ok(())) => {
                    files.entry(material).or_insert(TableFile { path, table: OnceLock::new() });
                }
                Ok(Err(damage)) => problems.push(TableProblem { path, damage }),
                Err(error) => {
                    problems.push(TableProblem { path, damage: Damage::Unreadable(error.to_string()) });
                }
            }
        }
        Ok(())
    }

    /// Opens and checks every table of values of at most `men` men that is small enough for its checksum, so that
    /// nothing is left to be found out later. Returns what is wrong.
    pub fn check(&self, men: u32) -> Vec<TableProblem> {
        let mut problems = Vec::new();
        for (material, file) in self.wdl.iter().filter(|(material, _)| material.men() <= men) {
            let small = file.path.metadata().is_ok_and(|metadata| metadata.len() <= CHECKED_BYTES);
            if small && let Err(ProbeError::Damaged(problem)) = file.get(Kind::Wdl, *material) {
                problems.push((*problem).clone());
            }
        }
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        problems
    }

    /// Returns the largest number of men for which there is a table of wins, draws and losses; 0 without tables.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// Returns the number of tables of wins, draws and losses, and of distances.
    pub fn counts(&self) -> (usize, usize) {
        (self.wdl.len(), self.dtz.len())
    }

    /// Returns what `use_table` finds in the table of a position.
    pub(super) fn with_table<T>(
        &self,
        kind: Kind,
        position: &Position,
        use_table: impl FnOnce(&Table, StrongSide) -> Result<T, Damage>,
    ) -> Result<T, ProbeError> {
        let (material, strong) = Material::of(position);
        let files = match kind {
            Kind::Wdl => &self.wdl,
            Kind::Dtz => &self.dtz,
        };
        let file = files.get(&material).ok_or(ProbeError::Missing(material))?;
        use_table(file.get(kind, material)?, strong).map_err(|damage| file.damaged(damage))
    }
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wdl, dtz) = self.counts();
        write!(f, "Tablebases({wdl} of values, {dtz} of distances, up to {} men)", self.max_men)
    }
}
