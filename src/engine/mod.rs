//! A position and limits in, a move out. Silent: it reports to an observer and prints nothing.

mod declare;

pub use declare::{Cells, Declared, DeclaredError, FileMistakes, Spec, declare};
