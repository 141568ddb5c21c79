//! Client side: whoever the harness asks for a move, met only as a process.
