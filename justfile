# The recipes of the house; `just` alone lists them.

# List the recipes
default:
    @just --list

# Everything that must pass before a change lands
check:
    cargo fmt --all --check
    cargo clippy --locked --all-targets -- -D warnings
    cargo test --locked

# Perft against cozy-chess: all slider techniques, six positions, one thread (pass --quick for one move less deep)
bench-perft *arguments:
    cargo bench --bench perft -- {{arguments}}

# Every perft row to its full published depth, with every slider technique
perft-deep:
    cargo test --release --test chess perft_suite:: -- --ignored --nocapture

# The six seed positions, counted and compared
perft-suite *arguments:
    cargo run --release --bin perft -- --suite {{arguments}}

# Prove the committed magic numbers, and that their seed gives them again
magic-check:
    cargo run --release --bin generate_magic -- --check
    cargo run --release --bin generate_magic | diff - src/chess/sliders/magic_numbers.rs

# Mutated texts against every parser; more of them than `cargo test` tries
fuzz iterations="2000000":
    PLAYSELF_FUZZ_ITERATIONS={{iterations}} cargo test --release --test chess fuzz_parsers::

# Mates, Bratko-Kopec and studies at 200,000 nodes each: what is solved, and that it is not less than before
suites:
    cargo test --release --test engine suites:: -- --ignored --nocapture

# King and pieces against a bare king that defends perfectly, bishop and knight among them
endings:
    cargo test --release --test engine endings_won:: -- --include-ignored --nocapture

# Plies a second with an instant engine, against a bare pipe ping-pong in the same run
bench-harness *arguments:
    cargo bench --bench harness -- {{arguments}}

# What a hundred watchers of the live page, some of them slow, cost a game: one run, alone and watched in turn
bench-watchers *arguments:
    cargo bench --bench watchers -- {{arguments}}

# Whole matches beside other match runners, given by their paths: same engine, same games, blocks in turn
bench-rivals fastchess c-chess-cli:
    cargo bench --bench rivals -- {{fastchess}} {{c-chess-cli}}

# Five hundred games at once, then a hundred thousand in a row: no forfeit of ours, no leak
soak-harness:
    cargo test --release --test player load:: -- --ignored --nocapture --test-threads 1

# The table of tuners: ours beside fishtest's, OpenBench's and weather-factory's on eleven landscapes (--runs N, --games N, --best)
bench-tuner *arguments:
    cargo bench --bench tuner -- {{arguments}}

# How long `playself stats` takes for counts up to 10^9, beside the bare start of the program
bench-stats:
    cargo bench --bench stats

# A hundred thousand simulated tests at each hypothesis: error rates within 0.003, lengths within 2 %
sim-sprt:
    cargo test --release --test cli stats_sprt:: -- --ignored --nocapture

# Kill runs again and again and compare their ends with uninterrupted ones
kill-loop cycles="200":
    PLAYSELF_KILL_CYCLES={{cycles}} cargo test --test run killed_ -- --nocapture

# A match of the built-in engine against itself with plain weights
match:
    cargo run --release -- match configs/match.toml

# How long a run of a million games takes to go on (makes 5 GB of files under target/ the first time; --pairs N for less)
bench-resume *arguments:
    cargo bench --bench resume -- {{arguments}}

# Mistreat a run for so many minutes: engines that fail, kills, stops, resumes; then everything must add up
soak minutes="60":
    PLAYSELF_SOAK_MINUTES={{minutes}} cargo test --release --test run soak:: -- --ignored --nocapture

# Play the same seeded runs with two release builds and compare everything they leave behind
compare-builds old new:
    tests/compare_builds.sh {{old}} {{new}}
