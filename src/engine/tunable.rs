//! Tables of named integers, each declared once with its default, range, step and a one-line description.
//!
//! [`declare!`](crate::engine::declare!) turns such a table into a plain struct. [`Declared`] gives access to its numbers
//! by name, so UCI options, files, command lines and tuners do not need a list of their own.
//!
//! ```
//! use playself::engine::{Declared, declare};
//!
//! declare! {
//!     /// Margins of a toy search.
//!     pub struct Margins {
//!         null_move {
//!             /// Reduction of a null-move search, in plies.
//!             null_move_base: i32 = 3, 1..=6, step 1;
//!         }
//!     }
//! }
//! let mut margins = Margins::default();
//! margins.set("null_move_base", 4).unwrap();
//! assert_eq!((margins.null_move_base, margins.get("null_move_base").unwrap()), (4, 4));
//! assert!(margins.set("nul_move_base", 4).unwrap_err().to_string().contains("null_move_base"));
//! ```
//!
//! `tests/engine/declared.rs` runs this example.

use crate::spelling::nearest;
use std::fmt;
use std::ops::RangeInclusive;

/// The declaration of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Name, unique in its table: `isolated_pawn_mg`, `pst_knight_eg_d4`.
    pub name: String,
    /// The struct field that the number is, or is part of.
    pub field: &'static str,
    /// The section of the table.
    pub section: &'static str,
    /// Default value.
    pub default: i32,
    /// Smallest allowed value.
    pub min: i32,
    /// Largest allowed value.
    pub max: i32,
    /// A change of this size is worth testing.
    pub step: i32,
    /// One-line description.
    pub doc: &'static str,
}

/// The type of a declared field: one or more numbers, each with a name suffix.
pub trait Cells {
    /// Number of numbers.
    const COUNT: usize;
    /// Returns the suffix that the number at `index` adds to the name of the field.
    fn suffix(index: usize) -> String;
    /// Returns the number at `index`.
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

/// A table declared with [`declare!`](crate::engine::declare!); its numbers are accessible by name and by index.
pub trait Declared: Clone + Default + 'static {
    /// Returns the declarations of all numbers, in order; `cell(i)` is the value of `specs()[i]`.
    fn specs() -> &'static [Spec];
    /// Returns the value at `index`.
    fn cell(&self, index: usize) -> i32;
    /// Sets the value at `index` without checking its range.
    fn set_cell(&mut self, index: usize, value: i32);

    /// Returns the index of `name`, or an error that suggests the nearest name.
    fn index_of(name: &str) -> Result<usize, DeclaredError> {
        Self::specs().iter().position(|spec| spec.name == name).ok_or_else(|| DeclaredError::Unknown {
            name: name.to_owned(),
            nearest: nearest(name, Self::specs().iter().map(|spec| spec.name.as_str())).map(str::to_owned),
        })
    }

    /// Returns the value of `name`.
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

    /// Sets a value from `name=value`, the form used on command lines.
    fn assign(&mut self, assignment: &str) -> Result<(), DeclaredError> {
        let malformed = || DeclaredError::Malformed { text: assignment.trim().to_owned() };
        let (name, value) = assignment.split_once('=').ok_or_else(malformed)?;
        let value = value.trim().replace('_', "").parse().map_err(|_| malformed())?;
        self.set(name.trim().trim_matches('"'), value)
    }

    /// Sets values from the text of a file: lines of `name = integer`, `# comments`, and `[section]` headings, which have
    /// no meaning. If the text has errors, the first [`MAX_FILE_ERRORS`] are returned and no value is changed.
    fn read_text(&mut self, text: &str) -> Result<(), FileErrors> {
        let mut changed = self.clone();
        let mut seen = std::collections::HashSet::new();
        let mut errors = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() || (line.starts_with('[') && line.ends_with(']')) {
                continue;
            }
            let name = line.split('=').next().unwrap_or_default().trim();
            let result = match seen.insert(name) {
                true => changed.assign(line),
                false => Err(DeclaredError::Repeated { name: name.to_owned() }),
            };
            errors.extend(result.err().map(|error| (number, error)));
            if errors.len() == MAX_FILE_ERRORS {
                break;
            }
        }
        if errors.is_empty() {
            *self = changed;
            Ok(())
        } else {
            Err(FileErrors(errors))
        }
    }

    /// Returns the whole table as the text of a file, from which [`Declared::read_text`] restores the same values.
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

/// Why a value could not be read or set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredError {
    /// There is no number of this name.
    Unknown {
        /// The given name.
        name: String,
        /// The most similar declared name, if one is similar enough.
        nearest: Option<String>,
    },
    /// The value is outside the declared range.
    OutOfRange {
        /// The name of the number.
        name: String,
        /// The given value.
        value: i32,
        /// The declared range.
        range: RangeInclusive<i32>,
    },
    /// The text is not `name=integer`.
    Malformed {
        /// The given text.
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
                write!(
                    f,
                    "{value} is out of range for `{name}`; allowed: {} to {}",
                    range.start(),
                    range.end()
                )
            }
            Self::Malformed { text } => write!(f, "expected `name = integer`, got `{text}`"),
            Self::Repeated { name } => write!(f, "`{name}` is set twice; remove one of the two lines"),
        }
    }
}

impl std::error::Error for DeclaredError {}

/// Number of errors after which the rest of a file is not read: another kind of file has as many as lines.
pub const MAX_FILE_ERRORS: usize = 20;

/// All errors of a file, with their line numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileErrors(pub Vec<(usize, DeclaredError)>);

impl fmt::Display for FileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (line, error)) in self.0.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}line {line}: {error}")?;
        }
        if self.0.len() == MAX_FILE_ERRORS {
            write!(f, "\nlines after these {MAX_FILE_ERRORS} errors were not read")?;
        }
        Ok(())
    }
}

impl std::error::Error for FileErrors {}

/// Declares a table: a struct whose fields are grouped into sections and have the visibility of the struct.
///
/// Each field is declared as `name: Type = default, min..=max, step n;` below one doc line. The type is `i32` or any other
/// type that implements [`Cells`]. The struct is laid out in declaration order.
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
                panic!("cell index {index} is out of bounds for {}", stringify!($table))
            }

            fn set_cell(&mut self, index: usize, value: i32) {
                let mut index = index;
                $($(
                    if index < <$kind as $crate::engine::Cells>::COUNT {
                        return $crate::engine::Cells::set_cell(&mut self.$field, index, value);
                    }
                    index -= <$kind as $crate::engine::Cells>::COUNT;
                )*)*
                panic!("cell index {index} is out of bounds for {}", stringify!($table))
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
    fn a_number_is_accessible_as_field_by_name_and_by_index() {
        let mut toy = Toy::default();
        assert_eq!((toy.width, toy.get("width"), toy.cell(0)), (3, Ok(3), 3));
        toy.assign(" height = -10 ").unwrap();
        assert_eq!(toy.height, -10);
        let names: Vec<_> = Toy::specs().iter().map(|spec| (spec.name.as_str(), spec.doc)).collect();
        assert_eq!(names, [("width", "How wide."), ("height", "How high."), ("depth", "How deep.")]);
    }

    #[test]
    fn error_messages_state_what_is_allowed() {
        let mut toy = Toy::default();
        let message = |result: Result<(), DeclaredError>| result.unwrap_err().to_string();
        assert_eq!(message(toy.set("dept", 1)), "`dept` is not declared; did you mean `depth`?");
        assert_eq!(message(toy.set("width", 10)), "10 is out of range for `width`; allowed: 1 to 9");
        assert_eq!(message(toy.assign("width")), "expected `name = integer`, got `width`");
        assert_eq!(message(toy.assign("width=2.5")), "expected `name = integer`, got `width=2.5`");
        assert_eq!(toy, Toy::default());
    }

    #[test]
    fn a_printed_table_can_be_read_and_a_file_with_errors_changes_nothing() {
        let mut toy = Toy { width: 9, height: 0, depth: 1 };
        let text = toy.to_text();
        assert_eq!(
            text,
            "[first]\n# How wide.\nwidth = 9\n# How high.\nheight = 0\n\n[second]\n# How deep.\ndepth = 1\n"
        );
        let mut copy = Toy::default();
        copy.read_text(&text).unwrap();
        assert_eq!(copy, toy);
        let errors = toy.read_text("depth = 2\n\ndepth = 3 # twice\nwidht = 2\n").unwrap_err();
        assert_eq!(
            errors.to_string(),
            "line 3: `depth` is set twice; remove one of the two lines\n\
             line 4: `widht` is not declared; did you mean `width`?"
        );
        assert_eq!(toy.depth, 1);
        let errors = toy.read_text(&"widht = 2\n".repeat(1_000)).unwrap_err().to_string();
        assert_eq!(errors.lines().count(), MAX_FILE_ERRORS + 1);
        assert!(errors.ends_with("lines after these 20 errors were not read"), "{errors}");
    }
}
