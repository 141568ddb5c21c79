//! What to try next: tuners as ask-and-tell machines without input or output.
