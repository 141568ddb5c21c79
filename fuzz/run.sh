#!/bin/sh
# Builds the fuzz targets with the stable toolchain and runs one: fuzz/run.sh TARGET MINUTES
set -eu
cd "$(dirname "$0")"
name=$1
minutes=$2
# libFuzzer is compiled from its source, which comes with the crate libfuzzer-sys.
if ! command -v "${CXX:-c++}" >/dev/null; then
    echo "fuzz/run.sh: a C++ compiler is missing (Debian: apt-get install g++)" >&2
    exit 1
fi
if ! [ -f "targets/$name.rs" ]; then
    echo "fuzz/run.sh: no target $name; there are: $(cd targets && echo *.rs | sed 's/\.rs//g')" >&2
    exit 2
fi
host=$(rustc -vV | sed -n 's/^host: //p')
# The instrumentation that libFuzzer needs, as cargo-fuzz sets it, without a sanitizer.
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1"
export RUSTFLAGS
# With a target given, build scripts and macros are not instrumented. All targets are linked at once.
cargo build --release --target "$host" --bins
mkdir -p "found/$name" "artifacts/$name"
# The words of the seeds: comparisons of whole words give the instrumentation nothing to go by.
{
    echo "# words of corpus/$name"
    LC_ALL=C grep -IohE '[A-Za-z_][A-Za-z0-9_-]{1,40}' "corpus/$name"/* | LC_ALL=C sort -u | sed 's/.*/"&"/'
} >"found/$name.words"
exec "target/$host/release/$name" "found/$name" "corpus/$name" -max_total_time=$((minutes * 60)) -timeout=10 \
    -rss_limit_mb=2048 -max_len=16384 -dict="found/$name.words" -artifact_prefix="artifacts/$name/" \
    -print_final_stats=1 -verbosity=1
