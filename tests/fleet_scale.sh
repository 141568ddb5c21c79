#!/usr/bin/env bash
# Plays a match with simulated workers on real connections and prints what it costs:
#   tests/fleet_scale.sh [WORKERS [SLOTS [PAIRS [SHORTEST LONGEST]]]]
# WORKERS connections with SLOTS pairs each; a pair lasts SHORTEST to LONGEST milliseconds.
# The costs of the middle half of the pairs are those of a fleet at work; those of the whole run contain the connections of all
# workers and the time in which the last pairs end. TMPDIR chooses the disk.
set -euo pipefail
workers=${1:-10000} slots=${2:-8} pairs=${3:-20000} shortest=${4:-80000} longest=${5:-120000}
programs=${PROGRAMS:-$(dirname "$0")/../target/release}
programs=$(realpath "$programs")
folder=$(mktemp -d)
ulimit -n "$(ulimit -Hn)"
processes=()
finish() {
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT
server=$(command -v nats-server || echo /usr/sbin/nats-server)
cat >"$folder/nats.conf" <<CONF
listen: 127.0.0.1:0
max_connections: 100000
max_payload: 1MB
jetstream { store_dir: "$folder/store" }
ports_file_dir: "$folder"
CONF
"$server" -c "$folder/nats.conf" >"$folder/server.log" 2>&1 &
server_process=$!
processes+=("$server_process")
until [ -s "$folder/nats-server_$server_process.ports" ]; do sleep 0.05; done
url=$(sed 's/.*"nats":\["\([^"]*\)".*/\1/' "$folder/nats-server_$server_process.ports")
cat >"$folder/run.toml" <<CONF
name = "scale"
seed = 1
[candidate]
engine = "$programs/fake-engine"
name = "new"
[baseline]
engine = "$programs/fake-engine"
name = "old"
[games]
tc = "10+0.1"
max_pairs = $pairs
after_book = "count"
CONF
printf 'length %s %s\n' "$shortest" "$longest" >"$folder/script"
processor_seconds() { awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "/proc/$1/stat"; }
"$programs/playself" match "$folder/run.toml" --fleet "$url" --run-dir "$folder/run" >"$folder/run.log" 2>&1 &
coordinator=$!
processes+=("$coordinator")
until grep -q pair_started "$folder/run/journal.ndjson" 2>/dev/null; do
    kill -0 "$coordinator" || { cat "$folder/run.log"; exit 1; }
    sleep 0.1
done
begun=$(date +%s.%N)
parts=10
[ "$workers" -lt 100 ] && parts=1
for part in $(seq 0 $((parts - 1))); do
    "$programs/fake-worker" "$url" --workers $((workers / parts)) --slots "$slots" --first $((part * workers / parts)) \
        --script "$folder/script" --seconds 100000 >"$folder/worker-$part.json" 2>&1 &
    processes+=("$!")
done
before=$(processor_seconds "$server_process")
played() { echo $(($(grep -c '"type":"game"' "$folder/run/journal.ndjson" || true) / 2)); }
sample() { echo "$(date +%s.%N) $(played) $server_cpu $coordinator_cpu"; }
quarter='' last_quarter=''
while kill -0 "$coordinator" 2>/dev/null; do
    server_cpu=$(processor_seconds "$server_process")
    coordinator_cpu=$(processor_seconds "$coordinator" 2>/dev/null || echo "${coordinator_cpu:-0}")
    memory=$(awk '/VmRSS/ { print $2 }' "/proc/$server_process/status")
    now_played=$(played)
    [ -z "$quarter" ] && [ "$now_played" -ge $((pairs / 4)) ] && quarter=$(sample)
    [ -z "$last_quarter" ] && [ "$now_played" -ge $((pairs * 3 / 4)) ] && last_quarter=$(sample)
    sleep 1
done
status=0
wait "$coordinator" || status=$?
ended=$(date +%s.%N)
for process in "${processes[@]:2}"; do
    for _ in $(seq 100); do kill -0 "$process" 2>/dev/null || break; sleep 0.1; done
done
cat "$folder"/worker-*.json
games=$(grep -c '"type":"game"' "$folder/run/journal.ndjson" || true)
"$programs/playself" verify "$folder/run" >"$folder/verify.log" 2>&1 || { cat "$folder/verify.log"; exit 1; }
awk -v workers="$workers" -v slots="$slots" -v pairs="$pairs" -v games="$games" -v begun="$begun" -v ended="$ended" \
    -v before="$before" -v server="$server_cpu" -v coordinator="$coordinator_cpu" -v memory="$memory" -v status="$status" \
    -v quarter="$quarter" -v last_quarter="$last_quarter" 'BEGIN {
    seconds = ended - begun
    printf "%d workers of %d slots, %d pairs in %.1f s: %.0f pairs/s, exit status %d\n", workers, slots, pairs, seconds, pairs / seconds, status
    printf "games on record: %d of %d\n", games, 2 * pairs
    printf "server: %.1f s of processor time, %.0f us per pair, %.0f MB\n", server - before, 1e6 * (server - before) / pairs, memory / 1024
    if (split(quarter, q, " ") == 4 && split(last_quarter, l, " ") == 4 && l[2] > q[2])
        printf "middle half: %.0f pairs/s, server %.0f us per pair (%.2f of a core), coordinator %.0f us per pair (%.2f of a core)\n",
            (l[2] - q[2]) / (l[1] - q[1]), 1e6 * (l[3] - q[3]) / (l[2] - q[2]), (l[3] - q[3]) / (l[1] - q[1]),
            1e6 * (l[4] - q[4]) / (l[2] - q[2]), (l[4] - q[4]) / (l[1] - q[1])
    printf "coordinator: %.1f s of processor time, %.0f us per pair\n", coordinator, 1e6 * coordinator / pairs
    exit !(games == 2 * pairs && status == 0)
}'
