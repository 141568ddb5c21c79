# Recipes for development; `just` without arguments lists them.

# List the recipes
default:
    @just --list

# Formatting, lints and tests; must pass before a change is merged
check:
    cargo fmt --all --check
    cargo clippy --locked --all-targets -- -D warnings
    cargo test --locked

# Compare perft with cozy-chess: all slider techniques, six positions, one thread (--quick for one ply less)
bench-perft *arguments:
    cargo bench --bench perft -- {{arguments}}

# Run every perft row to its full published depth, with every slider technique
perft-deep:
    cargo test --release --test chess perft_suite:: -- --ignored --nocapture

# Count the six seed positions and compare the results
perft-suite *arguments:
    cargo run --release --features test-programs --bin perft -- --suite {{arguments}}

# Verify the committed magic numbers and that their seed reproduces them
magic-check:
    cargo run --release --features test-programs --bin generate_magic -- --check
    cargo run --release --features test-programs --bin generate_magic | diff - src/chess/sliders/magic_numbers.rs

# Fuzz every parser with mutated texts; more iterations than `cargo test`
fuzz iterations="2000000":
    PLAYSELF_FUZZ_ITERATIONS={{iterations}} cargo test --release --test chess fuzz_parsers::

# Compare every position of three men in the endgame tables with retrograde analysis
three-men:
    cargo test --release --test chess syzygy::every_position -- --include-ignored --nocapture

# Damage endgame tables N times: no crash, no wrong answer (PLAYSELF_TABLES names a folder with four men)
damaged-tables rounds="10000":
    PLAYSELF_DAMAGED_TABLES={{rounds}} cargo test --release --test chess syzygy::damaged -- --nocapture

# Fuzz one parser with coverage for the given minutes; docs/fuzzing.md lists them
fuzz-target name minutes="60":
    fuzz/run.sh {{name}} {{minutes}}

# Fuzz every parser with coverage for the given minutes each
fuzz-targets minutes="5":
    for file in fuzz/targets/*.rs; do fuzz/run.sh "$(basename "$file" .rs)" {{minutes}} || exit 1; done

# Write the tables of docs/licences.md again
licences:
    PLAYSELF_UPDATE_LICENCES=1 cargo test --test cli licences::

# Compare the crates with the database of known vulnerabilities and with the accepted licences; needs cargo-deny
deny:
    cargo deny --locked check advisories licenses sources bans

# Attack runs, engines, files and the live page: every test of the fault table, and the fuzzers without coverage
attack:
    cargo test --test run -- accidents:: attacks_ faults:: journal_damage:: host:: refusals::
    cargo test --test run -- --include-ignored attacks_files::
    cargo test --test player -- --include-ignored containment::row attacks_engines:: faults_
    cargo test --test run -- report::attacks_page::
    cargo test --test cli -- attacks::
    PLAYSELF_FUZZ_ITERATIONS=200000 cargo test --release --test chess fuzz_parsers::

# Solve mates, Bratko-Kopec and studies with 200,000 nodes each; must not solve fewer than before
suites:
    cargo test --release --test engine suites:: -- --ignored --nocapture

# Win elementary endings against a bare king that defends perfectly, including bishop and knight
endings:
    cargo test --release --test engine endings_won:: -- --include-ignored --nocapture

# Measure plies per second with an instant engine, compared with a bare pipe ping-pong
bench-harness *arguments:
    cargo bench --bench harness -- {{arguments}}

# Measure the cost of a hundred clients of the live page, some of them slow
bench-watchers *arguments:
    cargo bench --bench watchers -- {{arguments}}

# Compare the nodes per second of the built-in engine with those of other UCI engines, given by path
bench-nps +engines:
    cargo bench --bench nps -- {{engines}}

# Compare whole matches with two other match runners, given by path: same engine, same games
bench-rivals fastchess c-chess-cli:
    cargo bench --bench rivals -- {{fastchess}} {{c-chess-cli}}

# Play 500 games at once, then 100,000 in sequence: no time forfeit caused by the harness, no leak
soak-harness:
    cargo test --release --test player load:: -- --ignored --nocapture --test-threads 1

# Measure how long `playself rate` takes for a million games; must stay under 10 s (--games N)
bench-rate *arguments:
    cargo bench --bench rate -- {{arguments}}

# Compare the tuners with those of fishtest, OpenBench and weather-factory on eleven landscapes (--runs N, --games N, --best)
bench-tuner *arguments:
    cargo bench --bench tuner -- {{arguments}}

# Measure the time of `playself stats` for counts up to 10^9, and of the bare start of the program
bench-stats:
    cargo bench --bench stats

# Simulate 100,000 tests at each hypothesis: error rates within 0.003, lengths within 2 %
sim-sprt:
    cargo test --release --test cli stats_sprt::error_rates_are -- --ignored --nocapture

# Simulate 100,000 bounded tests at each hypothesis: error rates within 0.003, 95 % of the lengths within 0.6 of an SPRT's
sim-bounded:
    cargo test --release --test cli stats_sprt::error_rates_of_bounded -- --ignored --nocapture

# Simulate tests of equal engines at fixed nodes with 600, 2,400 and 20,000 openings: at most 5.5 % false passes
sim-false-passes runs="2000" elo1="10":
    PLAYSELF_FALSE_PASS_RUNS={{runs}} PLAYSELF_FALSE_PASS_ELO1={{elo1}} cargo test --release --lib false_passes -- --ignored --nocapture

# Kill runs repeatedly and compare their results with those of uninterrupted runs
kill-loop cycles="200":
    PLAYSELF_KILL_CYCLES={{cycles}} cargo test --test run killed_ -- --nocapture

# Play a match of the built-in engine against itself with plain weights
match:
    cargo run --release -- match configs/match.toml

# Measure the time to resume a run of a million games (creates 5 GB under target/ the first time; --pairs N for less)
bench-resume *arguments:
    cargo bench --bench resume -- {{arguments}}

# Open the report of a million games in Chromium and measure its size and the time until it is drawn
test-million-games:
    cargo test --release --test run a_million_games_are_shown -- --ignored --nocapture

# Stress a run for the given minutes with failing engines, kills, stops and resumes, then check its results
soak minutes="60":
    PLAYSELF_SOAK_MINUTES={{minutes}} cargo test --release --test run soak:: -- --ignored --nocapture

# Play the same seeded runs with two release builds and compare all of their output
compare-builds old new:
    tests/compare_builds.sh {{old}} {{new}}

# Test fleets with real servers and processes under every fault of the table, also those that take long
test-fleet:
    cargo test --test fleet -- --include-ignored --skip chaos::

# Mistreat a fleet of five workers for the given minutes: kills, freezes, partitions, wiped stores; compare every match
fleet-chaos minutes="60":
    PLAYSELF_CHAOS_MINUTES={{minutes}} cargo test --test fleet chaos:: -- --ignored --nocapture

# Play a run with 10,000 simulated workers on real connections, and measure server and coordinator
fleet-scale *arguments:
    cargo build --release --features test-programs
    tests/fleet_scale.sh {{arguments}}

# Compare the rate of a fleet of one worker on this machine with that of a local match, at 2,000 nodes a move
fleet-rate *arguments:
    cargo build --release
    tests/fleet_rate.sh {{arguments}}
