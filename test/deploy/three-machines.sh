#!/usr/bin/env bash
# The walk of docs/deploy.md on one machine: in a network of its own with the addresses of the page, started with its
# files. What has its own disk there has a mount namespace of its own here. Prints a line for each step that held.
#   unshare --net --mount --pid --fork --kill-child --mount-proc test/deploy/three-machines.sh <program> <folder>
set -euo pipefail
program=$1 logs=$2
files=$(cd "$(dirname "$0")/../../examples/deploy" && pwd)
mount --make-rprivate /
ip link set lo up
for host in 10 11 12 13 21 22 23; do ip address add "10.0.0.$host/32" dev lo; done

step() { echo "step: $*"; }
own_disk() { unshare --mount bash -c 'for folder in $0; do mkdir -p "$folder" && mount -t tmpfs -o mode=700 tmpfs "$folder"; done; exec "$@"' "$@"; }
# Repeats a command until it succeeds.
until_holds() { for _ in $(seq 120); do "$@" >>"$logs/waiting" 2>&1 && return 0; sleep 0.5; done; echo "never held: $*"; return 1; }
scorpiox-code() { env "${app1[@]}" node "$program" "$@"; }

# etcd on app1, app2, app3
for n in 1 2 3; do
  sed "s/^ETCD_NAME=app1/ETCD_NAME=app$n/; /^ETCD_\(LISTEN\|INITIAL_ADVERTISE\|ADVERTISE\)/s/10\.0\.0\.11/10.0.0.1$n/" "$files/etcd-app1.env" | grep -v '^#' >"$logs/etcd$n.env"
  mapfile -t settings <"$logs/etcd$n.env"
  own_disk /var/lib/etcd env "${settings[@]}" etcd >"$logs/etcd$n" 2>&1 &
done
until_holds etcdctl --endpoints http://10.0.0.11:2379 endpoint health
step etcd

# PostgreSQL under Patroni on db1, db2, db3
for n in 1 2 3; do
  sed "s/^name: db1/name: db$n/; s/10\.0\.0\.21/10.0.0.2$n/" "$files/patroni-db1.yml" >"$logs/patroni$n.yml"
  chmod a+r "$logs/patroni$n.yml"
  # shellcheck disable=SC2016
  own_disk "/var/lib/postgresql /run/postgresql" bash -c 'chown postgres: /var/lib/postgresql /run/postgresql; exec setpriv --reuid postgres --regid postgres --clear-groups --reset-env patroni "$0"' "$logs/patroni$n.yml" >"$logs/patroni$n" 2>&1 &
  patroni[n]=$!
done
haproxy -db -f "$files/haproxy-postgres.cfg" >"$logs/haproxy-postgres" 2>&1 &
export PGPASSWORD=change-me-1
until_holds psql -h 127.0.0.1 -p 5000 -U postgres -c "SELECT 1"
until_holds bash -c "patronictl -c $logs/patroni1.yml list | grep -q 'Sync Standby'"
psql -h 127.0.0.1 -p 5000 -U postgres -c "CREATE ROLE scorpiox LOGIN PASSWORD 'change-me-4'"
psql -h 127.0.0.1 -p 5000 -U postgres -c "CREATE DATABASE scorpiox OWNER scorpiox"
unset PGPASSWORD
step database

# The server on app1, app2, app3
for n in 1 2 3; do
  sed "s/10\.0\.0\.11/10.0.0.1$n/; s/MACHINE_NAME=app1/MACHINE_NAME=app$n/" "$files/scorpiox-app1.env" | grep -v '^#' >"$logs/app$n.env"
  mapfile -t settings <"$logs/app$n.env"
  [[ $n == 1 ]] && app1=("${settings[@]}")
  own_disk "/var/lib/scorpiox-code /srv" env HTTP_TOKEN=a-token "${settings[@]}" node "$program" serve --http --behind-proxy --cwd /var/lib/scorpiox-code >"$logs/app$n" 2>&1 &
  server[n]=$!
done
for n in 1 2 3; do until_holds curl -sf -H "Host: mcp.example.com" "http://10.0.0.1$n:8808/readyz"; done
step machines

# The load balancer on lb
mount -t tmpfs tmpfs /etc/haproxy
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=mcp.example.com -addext subjectAltName=DNS:mcp.example.com -keyout "$logs/key.pem" -out "$logs/ca.pem" 2>/dev/null
cat "$logs/ca.pem" "$logs/key.pem" >/etc/haproxy/mcp.example.com.pem
haproxy -db -f "$files/haproxy-mcp.cfg" >"$logs/haproxy-mcp" 2>&1 &
echo "10.0.0.10 mcp.example.com" >"$logs/hosts" && mount --bind "$logs/hosts" /etc/hosts
export CURL_CA_BUNDLE=$logs/ca.pem
until_holds curl -sSf https://mcp.example.com/readyz
step balancer

call() {
  curl -s -m 30 https://mcp.example.com/mcp -H "Authorization: Bearer a-token" -H "Content-Type: application/json" -H "MCP-Protocol-Version: 2025-06-18" -H "Accept: application/json" \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}"
}
create() { call TaskManager "{\"action\":\"create\",\"query\":\"\",\"text\":\"$1\"}" | grep -q '"isError":false\|Created\|created'; }
has_tasks() { call TaskManager '{"action":"list","query":""}' | grep -q "$1"; }
for n in 1 2 3 4 5 6; do create "task $n"; done
has_tasks "6 tasks"
call Bash '{"command":"pwd; echo x > file"}' | grep -q /srv/work/
for _ in 1 2 3; do call Bash '{"command":"cat file"}' | grep -q 'x'; done
step calls
scorpiox-code machines | tee "$logs/machines"
[[ $(grep -c serving "$logs/machines") == 3 ]]
step listed

# Maintenance: an empty machine, then the next
scorpiox-code machines drain app2
until_holds bash -c "! kill -0 ${server[2]} 2>/dev/null"
create "while app2 is away"
step drained

# The primary of the database is gone
primary=$(patronictl -c "$logs/patroni1.yml" list -f json | grep -o '"Member": "db[123]"[^}]*"Role": "Leader"' | grep -o 'db[123]' | tail -c 2)
# At once: without its PostgreSQL, Patroni may exit, or start another one.
kill -KILL "${patroni[$primary]}" $(pgrep -P "${patroni[$primary]}")
until_holds create "after the failover"
has_tasks "8 tasks"
step failover
echo "all steps held"
