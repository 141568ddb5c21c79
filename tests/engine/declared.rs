//! The example of the documentation of `playself::engine::tunable`, from outside of the crate.

use playself::engine::{Declared, declare};

declare! {
    /// Margins of a toy search.
    pub struct Margins {
        null_move {
            /// Reduction of a null-move search, in plies.
            null_move_base: i32 = 3, 1..=6, step 1;
        }
    }
}

#[test]
fn a_declared_number_is_accessible_as_field_and_by_name() {
    let mut margins = Margins::default();
    margins.set("null_move_base", 4).unwrap();
    assert_eq!((margins.null_move_base, margins.get("null_move_base").unwrap()), (4, 4));
    assert!(margins.set("nul_move_base", 4).unwrap_err().to_string().contains("null_move_base"));
}
