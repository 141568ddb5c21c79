#![doc = include_str!("../docs/architecture.md")]

// Leaves.
pub mod failpoint; // named points where a test can make the program die or fail
pub mod spelling; // suggestions for misspelt names

// Chess, and the built-in engine.
pub mod chess; // rules of chess: positions, legal moves, notations, perft
pub mod engine; // a game and limits in, a move out; prints nothing
pub mod frontend; // user interfaces of the engine: UCI loop and ACE console game
pub mod protocol; // text of UCI, xboard and ACE to enums and back
pub mod syzygy; // endgame tables
pub mod texel; // Texel tuning of the built-in evaluation

// Mathematics.
pub mod stats; // arithmetic on counts: Elo, likelihood ratios, sequential tests
pub mod tuning; // parameter tuners

// The harness, from one engine process to a whole run.
pub mod fleet; // where pairs are played: slots on worker threads
pub mod game; // one game between two players
pub mod journal; // append-only, crash-safe record of a run
pub mod opening; // starting positions of games, and books of them
pub mod player; // client side of an engine process
pub mod run; // one match, test or tuning run: plan, schedule, state, event loop
pub mod store; // run folder, atomic files, content hashes, dates

// Around a run.
pub mod check; // examination of a UCI engine
pub mod compat; // command lines and output of fastchess and cutechess-cli
pub mod config; // run files (TOML) to plans
pub mod dashboard; // the live page
pub mod doctor; // measurement of the machine
pub mod report; // files, text, pages and charts of a run

// The programs.
pub mod cli; // command-line arguments that several programs or commands share
pub mod commands; // every command as a function of values; connects the modules
