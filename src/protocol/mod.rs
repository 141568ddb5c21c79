//! The words on the wire, text to enums and back, both directions.
