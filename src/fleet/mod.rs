//! Where pairs get played: local slots.
