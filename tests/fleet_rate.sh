#!/usr/bin/env bash
# Plays the same match on this machine and on a fleet of one worker on this machine, and compares the rates:
#   tests/fleet_rate.sh [PAIRS [SLOTS]]
# The built-in engine plays itself with 2,000 nodes a move. Bars: 0.9 of the local rate, 300 us of the server for each job.
set -euo pipefail
pairs=${1:-200} slots=${2:-2}
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
listen: 127.0.0.1:0
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
# Games per second between the first and the last one, without starting and ending.
rate() {
    grep '"type":"game"' "$folder/$1/journal.ndjson" | sed 's/.*"at":\([0-9]*\).*/\1/' |
        awk 'NR == 1 { first = $1 } { last = $1 } END { printf "%.3f", (NR - 1) / (last - first) * 1000 }'
}
processor_us() { awk -v ticks="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) / ticks * 1e6 }' "/proc/$1/stat"; }
play here || { cat "$folder/here.log"; exit 1; }
"$programs/playself" worker "$url" --name one --slots "$slots" --cache "$folder/cache" --sandbox off >"$folder/worker.log" 2>&1 &
processes+=("$!")
play there --fleet "$url" &
coordinator=$!
# Storing and fetching the engines is no part of a job.
until grep -q '"type":"game"' "$folder/there/journal.ndjson" 2>/dev/null; do
    kill -0 "$coordinator" || { cat "$folder/there.log"; exit 1; }
    sleep 0.01
done
before=$(processor_us "$server")
wait "$coordinator" || { cat "$folder/there.log"; exit 1; }
after=$(processor_us "$server")
awk -v here="$(rate here)" -v there="$(rate there)" -v cpu=$((after - before)) -v pairs="$pairs" 'BEGIN {
    printf "%d pairs: %.2f games/s here, %.2f on the fleet: %.3f of the local rate\n", pairs, here, there, there / here
    printf "server: %.0f us of processor time for each job, signs of life included\n", cpu / pairs
    exit !(there >= 0.9 * here && cpu <= 300 * pairs)
}'
