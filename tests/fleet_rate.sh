#!/usr/bin/env bash
# Plays the same match on this machine and on a fleet of one worker on this machine, in turn, and compares the rates:
#   tests/fleet_rate.sh [PAIRS [SLOTS [ROUNDS]]]
# Other work on the machine changes from minute to minute, so several short rounds are compared rather than two long matches.
# The built-in engine plays itself with 2,000 nodes a move. Bars: 0.9 of the local rate, 300 us of the server for each job, beyond
# what the server needs for a worker without jobs.
set -euo pipefail
# As `playself fleet serve` does.
export GOMAXPROCS=${GOMAXPROCS:-1}
pairs=${1:-50} slots=${2:-2} rounds=${3:-6}
programs=$(realpath "${PROGRAMS:-$(dirname "$0")/../target/release}")
folder=$(mktemp -d)
processes=()
finish() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
cat >"$folder/nats.conf" <<CONF
listen: 127.0.0.1:-1
jetstream { store_dir: "$folder/store" }
ports_file_dir: "$folder"
CONF
"$(command -v nats-server || echo /usr/sbin/nats-server)" -c "$folder/nats.conf" >"$folder/server.log" 2>&1 &
server=$!
processes+=("$server")
until [ -s "$folder/nats-server_$server.ports" ]; do sleep 0.05; done
url=$(sed 's/.*"nats":\["\([^"]*\)".*/\1/' "$folder/nats-server_$server.ports")
cat >"$folder/run.toml" <<CONF
name = "rate"
seed = 1
[candidate]
engine = "builtin"
name = "new"
[baseline]
engine = "builtin"
name = "old"
[games]
nodes = 2000
max_pairs = $pairs
concurrency = $slots
CONF
play() { "$programs/playself" match "$folder/run.toml" --run-dir "$folder/$1" "${@:2}" >"$folder/$1.log" 2>&1; }
# Milliseconds between the first game of a run and the last one, without starting and ending.
milliseconds() {
    grep '"type":"game"' "$folder/$1/journal.ndjson" | sed 's/.*"at":\([0-9]*\).*/\1/' |
        awk 'NR == 1 { first = $1 } { last = $1 } END { print last - first }'
}
processor_us() { cat "/proc/$1/task"/*/schedstat | awk '{ sum += $1 } END { printf "%d", sum / 1000 }'; }
"$programs/playself" worker "$url" --name one --slots "$slots" --cache "$folder/cache" --sandbox off >"$folder/worker.log" 2>&1 &
processes+=("$!")
sleep 2
idle_seconds=10
before=$(processor_us "$server")
sleep "$idle_seconds"
idle=$((($(processor_us "$server") - before) / idle_seconds))
here=0 there=0 cpu=0 playing=0
for round in $(seq "$rounds"); do
    play "here-$round" || { cat "$folder/here-$round.log"; exit 1; }
    play "there-$round" --fleet "$url" &
    coordinator=$!
    # Storing and fetching the engines is no part of a job.
    until grep -q '"type":"game"' "$folder/there-$round/journal.ndjson" 2>/dev/null; do
        kill -0 "$coordinator" || { cat "$folder/there-$round.log"; exit 1; }
        sleep 0.01
    done
    before=$(processor_us "$server") from=$(date +%s%N)
    wait "$coordinator" || { cat "$folder/there-$round.log"; exit 1; }
    playing=$((playing + ($(date +%s%N) - from) / 1000))
    cpu=$((cpu + $(processor_us "$server") - before))
    times="$(milliseconds "here-$round") $(milliseconds "there-$round")"
    echo "round $round: $times ms here and on the fleet"
    here=$((here + ${times% *})) there=$((there + ${times#* }))
done
awk -v here="$here" -v there="$there" -v cpu="$cpu" -v idle="$idle" -v playing="$playing" -v pairs="$((pairs * rounds))" -v games="$(((2 * pairs - 1) * rounds))" 'BEGIN {
    printf "%d pairs: %.2f games/s here, %.2f on the fleet: %.3f of the local rate\n", pairs, games / here * 1000,
        games / there * 1000, here / there
    job = (cpu - idle * playing / 1e6) / pairs
    printf "server: %.0f us of processor time a second without jobs, %.0f us more for each job\n", idle, job
    exit !(here >= 0.9 * there && job <= 300)
}'
