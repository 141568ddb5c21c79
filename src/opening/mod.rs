//! Where games start: books read, checked and made.
