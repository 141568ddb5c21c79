//! Our engine behind a protocol: the UCI loop and the ACE console game.
