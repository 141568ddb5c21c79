//! TOML to domain types and back; the only place that knows file syntax.
