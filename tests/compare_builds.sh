#!/usr/bin/env bash
# Plays the same seeded runs with two builds and compares all of their files and output.
#
#   tests/compare_builds.sh OLD_DIR NEW_DIR [WORK_DIR]
#
# OLD_DIR and NEW_DIR hold the programs of a release build (playself, chess-uci, benchmark). The engine of every run is
# OLD_DIR/chess-uci, so a difference comes from the harness and not from the engine. Wall-clock values are removed before
# the comparison. Exits 1 if anything differs; the differences are in WORK_DIR/*.diff.
set -uo pipefail
old=$(realpath "$1") new=$(realpath "$2")
work=$(realpath -m "${3:-target/compare-builds}")
root=$(realpath "$(dirname "$0")/..")
rm -rf "$work" && mkdir -p "$work/old" "$work/new" && cd "$work"
engine=$old/chess-uci
# Builds before the compressed books read plain ones.
for book in balanced unbalanced; do
    gzip -dc "$root/openings/$book.epd.gz" >"$book.epd"
done

cat >match.toml <<EOT
name = "golden-match"
seed = 7
[candidate]
engine = "$engine"
name = "candidate"
[baseline]
engine = "$engine"
name = "baseline"
options = { queen_value = 500 }
[games]
nodes = 300
openings = "$work/balanced.epd"
max_pairs = 12
[adjudicate]
draw = { after_move = 34, moves = 8, cp = 20 }
resign = { moves = 3, cp = 600, two_sided = true }
max_moves = 150
EOT
sed 's/golden-match/golden-test/; s/max_pairs = 12/max_pairs = 200/' match.toml >test.toml
printf '[sprt]\nelo = [0.0, 20.0]\n' >>test.toml
cat >tournament.toml <<EOT
name = "golden-tournament"
seed = 11
pairing = "round-robin"
[[engines]]
engine = "$engine"
name = "a"
nodes = 300
[[engines]]
engine = "$engine"
name = "b"
nodes = 200
[[engines]]
engine = "$engine"
name = "c"
depth = 2
[games]
openings = "$work/unbalanced.epd"
max_pairs = 9
EOT
cat >tune.toml <<EOT
name = "golden-tune"
seed = 3
engine = "$engine"
[tune]
games = 240
parameters = ["queen_value", "tempo_mg"]
[tune.bounds.queen_value]
min = 300
max = 1500
start = 350
[tune.bounds.tempo_mg]
min = 0
max = 80
start = 0
[games]
nodes = 100
openings = "$work/balanced.epd"
[adjudicate]
resign = { moves = 3, cp = 600, two_sided = true }
[accept]
nodes = 200
elo = [0.0, 30.0]
max_pairs = 100
EOT

# Removes what depends on the wall clock: times of records and moves, checksums over them, durations, dates, versions.
timeless() {
    sed -E -e 's/"crc":"[0-9a-f]+"/"crc":""/; s/"at":[0-9]+/"at":0/; s/,"synced":true\}/}/; s/"(seconds|after_stop)":[0-9.e-]+/"\1":0/g' \
        -e 's/"(t|started|took)":(\[[0-9,.]*\]|"[^"]*"|[0-9.]+|null)/"\1":0/g' \
        -e 's/[0-9]{4}\.[0-9]{2}\.[0-9]{2}/DATE/g; s/"plan":"[0-9a-f]{64}"/"plan":""/' \
        -e 's/(date|program|version) = "[^"]*"/\1 = ""/g' -e "s#($work/)?(old|new)/#WORK/#g" -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/DATE/' \
        -e 's/[0-9:]{8} \(hours/TIME (hours/'
}

run() { # BUILD NAME COMMAND...: one run in its own folder, with its events and exit status
    local build=$1 name=$2 out=$work/$1/$2
    shift 2
    "${!build}/playself" "$@" --json --run-dir "$out" >"$out.events" 2>"$out.stderr"
    echo "exit $?" >>"$out.stderr"
}

collect() { # BUILD: what is compared
    local build=$1 to=$work/$1-compared file
    rm -rf "$to" && mkdir -p "$to"
    (cd "$work/$build" && find . -type f ! -path '*/faults/*' ! -name '*.lock' ! -name 'report.html') | while read -r file; do
        mkdir -p "$to/$(dirname "$file")"
        case $file in
            # Pairs are reported as they finish, and a test may have begun pairs that its decision leaves out.
            ./test-2/journal.ndjson | ./test-2.stderr) ;;
            ./test-2.events) grep -E '"event":"(pair|verdict)"' "$work/$build/$file" | timeless >"$to/$file" ;;
            *.ndjson | *.events | *.stderr) grep -v '"event":"progress"' "$work/$build/$file" | timeless | sed -E 's/"seq":[0-9]+/"seq":0/' | sort >"$to/$file" ;;
            *) timeless <"$work/$build/$file" >"$to/$file" ;;
        esac
    done
}

for build in old new; do
    program=${!build}/playself
    "${!build}/benchmark" --json | grep -o '"signature":[0-9]*' >"$build/signature"
    run $build match-1 match match.toml --concurrency 1
    run $build match-2 match match.toml --concurrency 2
    run $build test-2 sprt test.toml --concurrency 2
    run $build tournament-2 match tournament.toml --concurrency 2
    run $build tune-1 tune tune.toml --concurrency 1
    run $build tune-2 tune tune.toml --concurrency 2
    # A run that the old build began and that was killed in the middle of a record.
    cp -r old/match-1 "$build/resumed" && rm -f "$build"/resumed/{games.pgn,pairs.csv,summary.json,report.html}
    head -c $(($(stat -c %s old/match-1/journal.ndjson) * 6 / 10)) old/match-1/journal.ndjson >"$build/resumed/journal.ndjson"
    "$program" resume "$build/resumed" --json >"$build/resumed.events" 2>"$build/resumed.stderr"
    echo "exit $?" >>"$build/resumed.stderr"
    rm -rf "$build/reported" && cp -r old/tune-1 "$build/reported" && rm -f "$build"/reported/*.html
    "$program" report "$build/reported" >"$build/reported.text" 2>&1
    "$program" verify "$build/reported" >"$build/verified.text" 2>&1
    sed 's/></>\n</g' <"$build/reported/report.html" | sed -E 's/^ +//; /^$/d' | timeless >"$build/page.html.text"
    cp -r old/match-1 "$build/reported-match" && rm -f "$build"/reported-match/*.html
    "$program" report "$build/reported-match" --forum >"$build/forum.text" 2>&1
    sed 's/></>\n</g' <"$build/reported-match/report.html" | sed -E 's/^ +//; /^$/d' | timeless >"$build/match-page.html.text"
    "$program" stats --pentanomial 10,20,40,25,12 --elo0 0 --elo1 5 --json >"$build/stats.json"
    "$program" simulate sprt --elo 3 --elo0 0 --elo1 5 --runs 200 --seed 5 --json >"$build/simulate-sprt.json"
    "$program" simulate tune --landscape "$root/configs/landscapes/rugged.toml" --games 2000 --runs 2 --seed 5 --json \
        >"$build/simulate-tune.json"
    for command in "" $("$program" --help | sed -n '/^Commands:/,/^$/p' | awk 'NR > 1 && NF { print $1 }'); do
        "$program" $command --help >"$build/help-${command:-main}" 2>&1
    done
    collect $build
done

status=0
for kind in signature match-1 match-2 test-2 tournament-2 tune-1 tune-2 resumed .events .stderr .text .json help-; do
    case $kind in
        help-) names=$(cd old-compared && ls -d help-*) ;;
        .*) names=$(cd old-compared && ls -d ./*$kind) ;;
        *) names=$kind ;;
    esac
    : >"${kind#.}.diff"
    for name in $names; do diff -r "old-compared/$name" "new-compared/$name" >>"${kind#.}.diff" 2>&1; done
    if [ -s "${kind#.}.diff" ]; then
        echo "differs    $kind ($(wc -l <"${kind#.}.diff") lines in $work/${kind#.}.diff)"
        status=1
    else
        echo "identical  $kind"
    fi
done
exit $status
