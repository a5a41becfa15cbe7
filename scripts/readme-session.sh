#!/usr/bin/env bash
# Runs every command of README's first session as it is printed, against a service of its own, and checks what the text promises.
set -euo pipefail
cd "$(dirname "$0")/.."

port=$(npx node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
export PORT=$port DATA_DIR
DATA_DIR=$(mktemp -d)
# In a process group of its own, since npm may end before the service that it started.
setsid npm start >"$DATA_DIR/log" 2>&1 &
service=$!
trap 'kill -- "-$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; rm -rf "$DATA_DIR"' EXIT

for _ in $(seq 100); do
  curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && break
  sleep 0.1
done

session=$(awk '/^## /{ inside = ($0 == "## A first session without a browser") } inside && /^```/{ block = !block; next } inside && block' README.md)
# The session ends with what it printed; each line is one answer.
said=$(bash -euo pipefail -c "${session//127.0.0.1:3000/127.0.0.1:$port}")
printf '%s\n' "$said"

expect() {
  if ! grep -qF -- "$1" <<<"$said"; then
    printf 'README promises what did not happen: %s\n' "$1" >&2
    exit 1
  fi
}
expect '"email":"ada@example.org"'
expect 'HTTP/1.1 200 OK'
expect 'idempotent-replayed: true'
expect '"name":"Draft"'
expect '"completed":true'
expect '"code":"precondition_failed"'
expect '"due_date":"2027-01-31"'
expect '"disposition":"on_hold"'
expect '"version":"\"5\""'
expect '"disposition":"done"'
