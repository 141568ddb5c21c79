//! Tables of named numbers, each declared once: name, default, range, step and one line of what it is.
//!
//! [`declare!`](crate::engine::declare!) turns such a table into a plain struct with fast fields. Through
//! [`Declared`] the same table answers by name, so options, files, command lines and tuners never need a second list.
//!
//! ```
//! use playself::engine::{Declared, declare};
//!
//! declare! {
//!     /// Margins of a toy search.
//!     pub struct Margins {
//!         null_move {
//!             /// Plies a null move is reduced by.
//!             null_move_base: i32 = 3, 1..=6, step 1;
//!         }
//!     }
//! }
//! let mut margins = Margins::default();
//! margins.set("null_move_base", 4).unwrap();
//! assert_eq!((margins.null_move_base, margins.get("null_move_base").unwrap()), (4, 4));
//! assert!(margins.set("nul_move_base", 4).unwrap_err().to_string().contains("null_move_base"));
//! ```

use crate::spelling::nearest;
use std::fmt;
use std::ops::RangeInclusive;

/// What is declared about one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Its flat name, unique in its table: `isolated_pawn_mg`, `pst_knight_eg_d4`.
    pub name: String,
    /// The declared field it is, or is part of.
    pub field: &'static str,
    /// The section it is declared in.
    pub section: &'static str,
    /// Its value unless somebody sets another.
    pub default: i32,
    /// The least value it takes.
    pub min: i32,
    /// The greatest value it takes.
    pub max: i32,
    /// A change of this size is worth trying.
    pub step: i32,
    /// What it is, in one line.
    pub doc: &'static str,
}

/// A declared field, seen as one or more numbers with a name suffix each.
pub trait Cells {
    /// How many numbers.
    const COUNT: usize;
    /// What the number at `index` adds to the field's name.
    fn suffix(index: usize) -> String;
    /// The number at `index`.
    fn cell(&self, index: usize) -> i32;
    /// Sets the number at `index`.
    fn set_cell(&mut self, index: usize, value: i32);
}

impl Cells for i32 {
    const COUNT: usize = 1;

    fn suffix(_: usize) -> String {
        String::new()
    }

    fn cell(&self, _: usize) -> i32 {
        *self
    }

    fn set_cell(&mut self, _: usize, value: i32) {
        *self = value;
    }
}

/// A table made by [`declare!`](crate::engine::declare!), addressed by name or by position.
pub trait Declared: Clone + Default + 'static {
    /// Every number of the table in declared order; `cell(i)` is the value of `specs()[i]`.
    fn specs() -> &'static [Spec];
    /// The value at `index`.
    fn cell(&self, index: usize) -> i32;
    /// Sets the value at `index`, without regard to its range.
    fn set_cell(&mut self, index: usize, value: i32);

    /// The index of `name`, or an error that suggests the nearest name.
    fn index_of(name: &str) -> Result<usize, DeclaredError> {
        Self::specs().iter().position(|spec| spec.name == name).ok_or_else(|| DeclaredError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, Self::specs().iter().map(|spec| spec.name.as_str())).map(str::to_owned),
        })
    }

    /// The value of `name`.
    fn get(&self, name: &str) -> Result<i32, DeclaredError> {
        Self::index_of(name).map(|index| self.cell(index))
    }

    /// Sets `name`; refuses unknown names and values outside the declared range.
    fn set(&mut self, name: &str, value: i32) -> Result<(), DeclaredError> {
        let index = Self::index_of(name)?;
        let Spec { min, max, .. } = Self::specs()[index];
        if !(min..=max).contains(&value) {
            return Err(DeclaredError::OutOfRange { name: name.to_owned(), value, range: min..=max });
        }
        self.set_cell(index, value);
        Ok(())
    }

    /// Sets from `name=value`, as a command line writes it.
    fn assign(&mut self, assignment: &str) -> Result<(), DeclaredError> {
        let malformed = || DeclaredError::Malformed { text: assignment.trim().to_owned() };
        let (name, value) = assignment.split_once('=').ok_or_else(malformed)?;
        let value = value.trim().replace('_', "").parse().map_err(|_| malformed())?;
        self.set(name.trim().trim_matches('"'), value)
    }

    /// Sets from the text of a file: lines of `name = integer`, `# comments`, and `[section]` heads, which only
    /// order the file for its reader. Every mistake of the text is reported, and none of it applied then.
    fn read_text(&mut self, text: &str) -> Result<(), FileMistakes> {
        let mut changed = self.clone();
        let mut seen = std::collections::HashSet::new();
        let mut mistakes = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() || (line.starts_with('[') && line.ends_with(']')) {
                continue;
            }
            let name = line.split('=').next().unwrap_or_default().trim();
            let outcome = match seen.insert(name) {
                true => changed.assign(line),
                false => Err(DeclaredError::Repeated { name: name.to_owned() }),
            };
            mistakes.extend(outcome.err().map(|error| (number, error)));
        }
        if mistakes.is_empty() {
            *self = changed;
            Ok(())
        } else {
            Err(FileMistakes(mistakes))
        }
    }

    /// The whole table as the text of a file, which [`Declared::read_text`] reads back exactly.
    fn to_text(&self) -> String {
        let mut text = String::new();
        let (mut section, mut doc) = ("", "");
        for (index, spec) in Self::specs().iter().enumerate() {
            if spec.section != section {
                section = spec.section;
                text += &format!("\n[{section}]\n");
            }
            if spec.doc != doc {
                doc = spec.doc;
                text += &format!("# {doc}\n");
            }
            text += &format!("{} = {}\n", spec.name, self.cell(index));
        }
        text.trim_start().to_owned()
    }
}

/// Why a value was not read or set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredError {
    /// No number has this name.
    Unknown {
        /// The name as given.
        name: String,
        /// The declared name closest to it, if one is close.
        nearest: Option<String>,
    },
    /// The value lies outside the declared range.
    OutOfRange {
        /// Whose value.
        name: String,
        /// The value as given.
        value: i32,
        /// What is allowed.
        range: RangeInclusive<i32>,
    },
    /// The text is not `name=integer`.
    Malformed {
        /// The text as given.
        text: String,
    },
    /// A file sets the same name twice.
    Repeated {
        /// The name.
        name: String,
    },
}

impl fmt::Display for DeclaredError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, nearest: Some(nearest) } => {
                write!(f, "`{name}` is not declared; did you mean `{nearest}`?")
            }
            Self::Unknown { name, nearest: None } => write!(f, "`{name}` is not declared"),
            Self::OutOfRange { name, value, range } => {
                write!(f, "{value} is out of range for `{name}`; give {} to {}", range.start(), range.end())
            }
            Self::Malformed { text } => write!(f, "`{text}` is not of the form `name = integer`"),
            Self::Repeated { name } => write!(f, "`{name}` is set a second time; keep one of the two lines"),
        }
    }
}

impl std::error::Error for DeclaredError {}

/// Everything wrong with a file, by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMistakes(pub Vec<(usize, DeclaredError)>);

impl fmt::Display for FileMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (line, error)) in self.0.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}line {line}: {error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FileMistakes {}

/// Declares a table: a struct with one field per line, as visible as itself, in sections.
///
/// Each field is `name: Type = default, min..=max, step n;` under its one doc line; the type is an `i32` or
/// whatever else has [`Cells`]. The struct is laid out in declared order.
#[macro_export]
macro_rules! declare_table {
    (
        $(#[$meta:meta])*
        $vis:vis struct $table:ident {
            $($section:ident {
                $(#[doc = $doc:literal] $field:ident : $kind:ty = $default:expr, $range:expr, step $step:expr;)*
            })*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[repr(C)]
        $vis struct $table {
            $($(#[doc = $doc] $vis $field: $kind,)*)*
        }

        impl ::std::default::Default for $table {
            fn default() -> Self {
                Self { $($($field: $default,)*)* }
            }
        }

        impl $crate::engine::Declared for $table {
            fn specs() -> &'static [$crate::engine::Spec] {
                static SPECS: ::std::sync::OnceLock<Vec<$crate::engine::Spec>> = ::std::sync::OnceLock::new();
                SPECS.get_or_init(|| {
                    let defaults = Self::default();
                    let mut specs = Vec::new();
                    $($(
                        let range: ::std::ops::RangeInclusive<i32> = $range;
                        for index in 0..<$kind as $crate::engine::Cells>::COUNT {
                            specs.push($crate::engine::Spec {
                                name: stringify!($field).to_owned()
                                    + &<$kind as $crate::engine::Cells>::suffix(index),
                                field: stringify!($field),
                                section: stringify!($section),
                                default: $crate::engine::Cells::cell(&defaults.$field, index),
                                min: *range.start(),
                                max: *range.end(),
                                step: $step,
                                doc: $doc.trim_ascii(),
                            });
                        }
                    )*)*
                    specs
                })
            }

            fn cell(&self, index: usize) -> i32 {
                let mut index = index;
                $($(
                    if index < <$kind as $crate::engine::Cells>::COUNT {
                        return $crate::engine::Cells::cell(&self.$field, index);
                    }
                    index -= <$kind as $crate::engine::Cells>::COUNT;
                )*)*
                panic!("cell index {index} past the end of {}", stringify!($table))
            }

            fn set_cell(&mut self, index: usize, value: i32) {
                let mut index = index;
                $($(
                    if index < <$kind as $crate::engine::Cells>::COUNT {
                        return $crate::engine::Cells::set_cell(&mut self.$field, index, value);
                    }
                    index -= <$kind as $crate::engine::Cells>::COUNT;
                )*)*
                panic!("cell index {index} past the end of {}", stringify!($table))
            }
        }
    };
}

pub use crate::declare_table as declare;

#[cfg(test)]
mod tests {
    use super::*;

    declare! {
        /// A table for these tests.
        struct Toy {
            first {
                /// How wide.
                width: i32 = 3, 1..=9, step 1;
                /// How high.
                height: i32 = -4, -10..=10, step 2;
            }
            second {
                /// How deep.
                depth: i32 = 7, 0..=64, step 1;
            }
        }
    }

    #[test]
    fn a_table_answers_by_field_by_name_and_by_index() {
        let mut toy = Toy::default();
        assert_eq!((toy.width, toy.get("width"), toy.cell(0)), (3, Ok(3), 3));
        toy.assign(" height = -10 ").unwrap();
        assert_eq!(toy.height, -10);
        let names: Vec<_> = Toy::specs().iter().map(|spec| (spec.name.as_str(), spec.doc)).collect();
        assert_eq!(names, [("width", "How wide."), ("height", "How high."), ("depth", "How deep.")]);
    }

    #[test]
    fn refusals_say_what_would_have_been_right() {
        let mut toy = Toy::default();
        let message = |result: Result<(), DeclaredError>| result.unwrap_err().to_string();
        assert_eq!(message(toy.set("dept", 1)), "`dept` is not declared; did you mean `depth`?");
        assert_eq!(message(toy.set("width", 10)), "10 is out of range for `width`; give 1 to 9");
        assert_eq!(message(toy.assign("width")), "`width` is not of the form `name = integer`");
        assert_eq!(message(toy.assign("width=2.5")), "`width=2.5` is not of the form `name = integer`");
        assert_eq!(toy, Toy::default());
    }

    #[test]
    fn a_printed_table_reads_back_and_a_bad_file_changes_nothing() {
        let mut toy = Toy { width: 9, height: 0, depth: 1 };
        let text = toy.to_text();
        assert_eq!(
            text,
            "[first]\n# How wide.\nwidth = 9\n# How high.\nheight = 0\n\n[second]\n# How deep.\ndepth = 1\n"
        );
        let mut copy = Toy::default();
        copy.read_text(&text).unwrap();
        assert_eq!(copy, toy);
        let mistakes = toy.read_text("depth = 2\n\ndepth = 3 # twice\nwidht = 2\n").unwrap_err();
        assert_eq!(
            mistakes.to_string(),
            "line 3: `depth` is set a second time; keep one of the two lines\n\
             line 4: `widht` is not declared; did you mean `width`?"
        );
        assert_eq!(toy.depth, 1);
    }
}
