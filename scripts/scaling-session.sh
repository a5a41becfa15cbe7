#!/usr/bin/env bash
# Runs the commands of "Two instances" in docs/scaling.md as they are printed, against a PostgreSQL of its own, and checks what the text promises.
set -euo pipefail
cd "$(dirname "$0")/.."

free_port() { npx node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'; }
postgres=$(find /usr/lib/postgresql/*/bin -maxdepth 0 | tail -1)
work=$(mktemp -d)
chmod 755 "$work"
services=()
as_postgres() { if [ "$(id -u)" = 0 ]; then (cd "$work" && runuser -u postgres -- "$@"); else "$@"; fi; }
finish() {
  for service in "${services[@]}"; do kill -- "-$service" 2>/dev/null || true; done
  as_postgres "$postgres/pg_ctl" --pgdata "$work/data/pg" --mode fast stop >/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

database=$(free_port) first=$(free_port) second=$(free_port)
mkdir "$work/data"
if [ "$(id -u)" = 0 ]; then chown postgres "$work/data"; fi
as_postgres "$postgres/initdb" --pgdata "$work/data/pg" --username postgres --auth trust >/dev/null
as_postgres "$postgres/pg_ctl" --pgdata "$work/data/pg" --wait --log "$work/data/log" --options "-p $database -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work/data" start >/dev/null

# The blocks of the section, with ports that are free here.
blocks=$(awk '/^## /{ inside = ($0 == "## Two instances") } inside && /^```sh/{ block = 1; next } inside && /^```/{ if (block) print "--"; block = 0 } inside && block' docs/scaling.md |
  sed "s/127\.0\.0\.1:5432/127.0.0.1:$database/; s/PORT=3000/PORT=$first/; s/PORT=3001/PORT=$second/; s/127\.0\.0\.1:3000/127.0.0.1:$first/; s/127\.0\.0\.1:3001/127.0.0.1:$second/")
block() { awk -v wanted="$1" 'BEGIN { RS = "--\n" } NR == wanted' <<<"$blocks"; }

PGHOST=127.0.0.1 PGPORT=$database PGUSER=postgres bash -euo pipefail -c "$(block 1)"
# Both at once, each in a process group of its own, since npm may end before the service that it started.
for number in 2 3; do
  setsid bash -c "$(block "$number")" >"$work/log$number" 2>&1 &
  services+=($!)
done
for port in "$first" "$second"; do
  for _ in $(seq 150); do
    curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && break
    sleep 0.1
  done
done

said=$(bash -euo pipefail -c "$(block 4)")
printf '%s\n' "$said"
if [ "$(grep -o 'Written here' <<<"$said" | wc -l)" != 2 ]; then
  echo 'docs/scaling.md promises what did not happen.' >&2
  exit 1
fi
