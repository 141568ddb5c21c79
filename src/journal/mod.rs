//! The append-only, crash-safe record of a run; the only truth.
