// HAProxy in front of the machines: round robin, no stickiness, readiness by /readyz. It logs which machine each request
// was sent to, by the call's own header.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { sendRequest } from './http-client.mjs'
import { BRIDGE_ADDRESS } from './namespace.mjs'
import { eventually } from './wait.mjs'

export const CALL_HEADER = 'x-fleet-call'
const PORT = 8080
export const PUBLIC_URL = `http://${BRIDGE_ADDRESS}:${PORT}`
const MAX_ROUTES = 200_000

/** `databaseNodes` are addresses of Patroni nodes; with them the primary is reached at port 5432. */
export async function openLoadBalancer({ base, machines, databaseNodes = [] }) {
  const file = join(base, `haproxy-${databaseNodes.length > 0 ? 'database' : 'http'}.cfg`)
  writeFileSync(file, configuration(machines, databaseNodes))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const routes = new Map()
  const log = []
  const note = (line) => {
    const [call, machine] = line.split(' ')
    if (/^[\w-]+$/.test(call ?? '') && routes.size < MAX_ROUTES) routes.set(call, machine)
    if (log.push(line) > 20_000) log.shift()
  }
  createInterface({ input: child.stdout }).on('line', note)
  createInterface({ input: child.stderr }).on('line', note)
  if (machines.length > 0) {
    const answers = async () =>
      (await sendRequest(PUBLIC_URL, { method: 'GET', path: '/readyz', limitMs: 2_000 })).status
    await eventually('a machine is reached through HAProxy', answers, {
      fits: (status) => status === 200,
      limitMs: 90_000,
    })
  }
  return {
    /** The machine that got this call, by its name; undefined until HAProxy is done with it. */
    machineOf: (call) => routes.get(call),
    log,
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function configuration(machines, databaseNodes) {
  const servers = machines.map(({ name, address }) => `  server ${name} ${address}:8808`)
  const nodes = databaseNodes.map((address, index) => `  server database-${index + 1} ${address}:5432 check port 8008`)
  return `global
  maxconn 4000
  log stdout format raw local0

defaults
  log global
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout tunnel 1h
  # On a busy machine an answer takes a while.
  timeout check 2s
  retries 3
  option redispatch 1
${
  machines.length === 0
    ? ''
    : `
frontend clients
  mode http
  bind ${BRIDGE_ADDRESS}:${PORT}
  option logasap
  capture request header ${CALL_HEADER} len 60
  log-format "%[capture.req.hdr(0)] %s %ST %tsc %Tt %HM %HP"
  default_backend machines

backend machines
  mode http
  balance roundrobin
  # A machine without power sends no end of its connections.
  option srvtcpka
  srvtcpka-idle 2s
  srvtcpka-intvl 1s
  srvtcpka-cnt 3
  option httpchk GET /readyz
  http-check send hdr Host ${new URL(PUBLIC_URL).host}
  default-server check inter 500ms fastinter 250ms fall 2 rise 1
${servers.join('\n')}
`
}${
    databaseNodes.length === 0
      ? ''
      : `
listen database
  mode tcp
  bind ${BRIDGE_ADDRESS}:5432
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.join('\n')}
`
  }`
}
