#!/usr/bin/env bash
# Plays a match with simulated workers on real connections and prints what it costs:
#   tests/fleet_scale.sh [WORKERS [SLOTS [PAIRS [SHORTEST LONGEST]]]]
# WORKERS connections with SLOTS pairs each; a pair lasts SHORTEST to LONGEST milliseconds.
# The same workers first play pairs that do not end, for IDLE seconds (20): what the server needs then are signs of life, leases and
# notices, whatever the number of pairs. A job costs what the server needs beyond that in the middle half of the pairs; the costs
# of the whole run contain the connections of all workers and the time in which the last pairs end. TMPDIR chooses the disk.
set -euo pipefail
# As `playself fleet serve` does.
export GOMAXPROCS=${GOMAXPROCS:-1}
workers=${1:-10000} slots=${2:-8} pairs=${3:-20000} shortest=${4:-80000} longest=${5:-120000} idle=${IDLE:-20}
programs=${PROGRAMS:-$(dirname "$0")/../target/release}
programs=$(realpath "$programs")
folder=$(mktemp -d)
ulimit -n "$(ulimit -Hn)"
processes=()
end_all() {
    for process in "${processes[@]}"; do kill -KILL "$process" 2>/dev/null || true; done
    wait 2>/dev/null || true
    processes=()
}
finish() {
    end_all
    rm -rf "$folder"
}
trap finish EXIT
processor_seconds() { awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "/proc/$1/stat"; }
now() { date +%s.%N; }
records() { grep -c "\"type\":\"$1\"" "$place/run/journal.ndjson" || true; }

# Starts server, coordinator and workers in a folder of their own: start NAME PAIRS SHORTEST LONGEST
start() {
    place=$folder/$1
    mkdir "$place"
    cat >"$place/nats.conf" <<CONF
listen: 127.0.0.1:-1
max_connections: 100000
max_payload: 1MB
jetstream { store_dir: "$place/store" }
ports_file_dir: "$place"
CONF
    "$(command -v nats-server || echo /usr/sbin/nats-server)" -c "$place/nats.conf" >"$place/server.log" 2>&1 &
    server=$!
    processes+=("$server")
    until [ -s "$place/nats-server_$server.ports" ]; do sleep 0.05; done
    url=$(sed 's/.*"nats":\["\([^"]*\)".*/\1/' "$place/nats-server_$server.ports")
    cat >"$place/run.toml" <<CONF
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
max_pairs = $2
after_book = "count"
CONF
    printf 'length %s %s\n' "$3" "$4" >"$place/script"
    "$programs/playself" match "$place/run.toml" --fleet "$url" --run-dir "$place/run" >"$place/run.log" 2>&1 &
    coordinator=$!
    processes+=("$coordinator")
    until grep -q pair_started "$place/run/journal.ndjson" 2>/dev/null; do
        kill -0 "$coordinator" || { cat "$place/run.log"; exit 1; }
        sleep 0.1
    done
    begun=$(now)
    before=$(processor_seconds "$server")
    local parts=10 part
    [ "$workers" -lt 100 ] && parts=1
    for part in $(seq 0 $((parts - 1))); do
        "$programs/fake-worker" "$url" --workers $((workers / parts)) --slots "$slots" --first $((part * workers / parts)) \
            --script "$place/script" --seconds 100000 >"$place/worker-$part.json" 2>&1 &
        processes+=("$!")
    done
}

idle_rate=0
if [ "$idle" -gt 0 ]; then
    start idle $((2 * workers * slots)) 100000000 100000000
    until [ "$(records claimed)" -ge $((workers * slots)) ]; do
        kill -0 "$coordinator" || { cat "$place/run.log"; exit 1; }
        sleep 1
    done
    sleep 5
    from=$(now) server_from=$(processor_seconds "$server") coordinator_from=$(processor_seconds "$coordinator")
    sleep "$idle"
    costs="$from $(now) $server_from $(processor_seconds "$server") $coordinator_from $(processor_seconds "$coordinator")"
    idle_rate=$(echo "$costs" | awk '{ print ($4 - $3) / ($2 - $1) }')
    echo "$costs" | awk '{ printf "no pair ends: server %.3f, coordinator %.3f of a core\n", ($4 - $3) / ($2 - $1), ($6 - $5) / ($2 - $1) }'
    end_all
fi

start match "$pairs" "$shortest" "$longest"
sample() { echo "$(now) $played $server_cpu $coordinator_cpu"; }
quarter='' last_quarter=''
while kill -0 "$coordinator" 2>/dev/null; do
    server_cpu=$(processor_seconds "$server")
    coordinator_cpu=$(processor_seconds "$coordinator" 2>/dev/null || echo "${coordinator_cpu:-0}")
    memory=$(awk '/VmRSS/ { print $2 }' "/proc/$server/status")
    played=$(($(records game) / 2))
    [ -z "$quarter" ] && [ "$played" -ge $((pairs / 4)) ] && quarter=$(sample)
    [ -z "$last_quarter" ] && [ "$played" -ge $((pairs * 3 / 4)) ] && last_quarter=$(sample)
    sleep 1
done
status=0
wait "$coordinator" || status=$?
ended=$(now)
for process in "${processes[@]:2}"; do
    for _ in $(seq 100); do kill -0 "$process" 2>/dev/null || break; sleep 0.1; done
done
cat "$place"/worker-*.json
games=$(records game)
"$programs/playself" verify "$place/run" >"$place/verify.log" 2>&1 || { cat "$place/verify.log"; exit 1; }
awk -v workers="$workers" -v slots="$slots" -v pairs="$pairs" -v games="$games" -v begun="$begun" -v ended="$ended" \
    -v before="$before" -v server="$server_cpu" -v coordinator="$coordinator_cpu" -v memory="$memory" -v status="$status" \
    -v quarter="$quarter" -v last_quarter="$last_quarter" -v idle="$idle_rate" 'BEGIN {
    seconds = ended - begun
    printf "%d workers of %d slots, %d pairs in %.1f s: %.0f pairs/s, exit status %d\n", workers, slots, pairs, seconds, pairs / seconds, status
    printf "games on record: %d of %d\n", games, 2 * pairs
    printf "server: %.1f s of processor time, %.0f us per pair, %.0f MB\n", server - before, 1e6 * (server - before) / pairs, memory / 1024
    if (split(quarter, q, " ") == 4 && split(last_quarter, l, " ") == 4 && l[2] > q[2]) {
        time = l[1] - q[1]
        count = l[2] - q[2]
        printf "middle half: %.0f pairs/s, server %.0f us per pair (%.2f of a core), coordinator %.0f us per pair (%.2f of a core)\n",
            count / time, 1e6 * (l[3] - q[3]) / count, (l[3] - q[3]) / time, 1e6 * (l[4] - q[4]) / count, (l[4] - q[4]) / time
        printf "a job costs the server %.0f us, what it needs without jobs not included\n",
            1e6 * (l[3] - q[3] - idle * time) / count
    }
    printf "coordinator: %.1f s of processor time, %.0f us per pair\n", coordinator, 1e6 * coordinator / pairs
    exit !(games == 2 * pairs && status == 0)
}'
