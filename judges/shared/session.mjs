// One client package connected to one server over stdio, behind the few calls the checks need. The packages differ in
// argument order and in what they expose; every one of them keeps its child in `_process`, which is where the exit code
// and the raw lines come from. The transport is not subclassed: client 2.4.0 negotiates differently with a subclass.
import { openSync, closeSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { within } from './report.mjs'

export const modern = '2026-07-28'

// Old clients send SIGTERM and leave, and the server may take its five seconds of grace. Newer ones end its input, send
// SIGTERM two seconds later, and kill it after two more: whatever it started then stays behind.
const leaves = 7000
const kills = 3900

/** The real clients of each period; `revision` is what each must end up speaking with a server that knows them all. */
export const periodClients = [
  { label: 'sdk 1.0.4', from: 'sdk-1.0.4', revision: '2024-11-05', closeLimitMs: leaves },
  { label: 'sdk 1.12.3', from: 'sdk-1.12.3', revision: '2025-03-26', closeLimitMs: leaves },
  { label: 'sdk 1.13.3', from: 'sdk-1.13.3', revision: '2025-06-18', closeLimitMs: leaves },
  { label: 'sdk 1.24.3', from: 'sdk-1.24.3', revision: '2025-11-25', closeLimitMs: kills },
  { label: 'client 2.4.0 legacy', mode: 'legacy', revision: '2025-11-25', closeLimitMs: kills },
  { label: 'client 2.4.0 auto', mode: 'auto', revision: modern, closeLimitMs: kills },
  { label: 'client 2.4.0 modern', mode: { pin: modern }, revision: modern, closeLimitMs: kills },
]

/**
 * @param client an entry of `periodClients`
 * @param target `{ command, args }` that starts the server, and `env` for more of it
 * @param scratch a directory for the server's home and its stderr
 */
export async function openSession(client, target, scratch) {
  const { Client, StdioClientTransport } = await load(client)
  const stderrFile = join(scratch, 'stderr.txt')
  const stderr = openSync(stderrFile, 'w')
  const transport = new StdioClientTransport({
    command: target.command,
    args: target.args,
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      SHELL: '/bin/sh',
      TERM: 'dumb',
      USER: 'judge',
      LOGNAME: 'judge',
      ...target.env,
    },
    stderr,
  })
  const seen = watch(transport)
  const info = { name: 'judge', version: '1.0.0' }
  const peer = new Client(info, {
    capabilities: {},
    ...(client.mode && { versionNegotiation: { mode: client.mode } }),
  })
  const complaints = []
  peer.onerror = (error) => complaints.push(String(error?.message ?? error))

  const session = {
    revision: client.revision,
    closeLimitMs: client.closeLimitMs,
    wire: seen.wire,
    complaints,
    connect: () => peer.connect(transport),
    negotiated: () => peer.getNegotiatedProtocolVersion?.() ?? initializedVersion(seen.wire),
    serverInfo: () => peer.getServerVersion(),
    listTools: () => peer.listTools(),
    callTool: (name, args, options) =>
      client.from
        ? peer.callTool({ name, arguments: args }, undefined, options)
        : peer.callTool({ name, arguments: args }, options),
    ping: () => peer.ping(),
    /** Closes as this package does, and returns how the server ended. */
    async close() {
      const begun = performance.now()
      const [exit] = await Promise.all([within(8000, seen.exit), peer.close()])
      return { code: exit.code, signal: exit.signal, milliseconds: Math.round(exit.at - begun) }
    },
    /** For the end of a session that may have gone wrong: the server must not outlive the judge. */
    dispose() {
      seen.kill()
      closeSync(stderr)
    },
    /** What crossed the wire from line `first` on, then the end of the server's stderr. */
    evidence(first = 0) {
      const lines = seen.wire
        .slice(first)
        .map(({ to, line }) => `${to === 'server' ? '>' : '<'} ${line.slice(0, 1000)}`)
      const errors = readFileSync(stderrFile, 'utf8').trim().split('\n').filter(Boolean).slice(-12)
      return [...lines.slice(-40), ...errors.map((line) => `! ${line}`)]
    },
  }
  return session
}

async function load({ from }) {
  if (!from) {
    const [{ Client }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ])
    return { Client, StdioClientTransport }
  }
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import(`${from}/client/index.js`),
    import(`${from}/client/stdio.js`),
  ])
  return { Client, StdioClientTransport }
}

function watch(transport) {
  const wire = []
  let child
  let exited
  const exit = new Promise((resolve) => {
    exited = resolve
  })
  const start = transport.start.bind(transport)
  transport.start = () => {
    const started = start()
    child = transport._process
    child.once('exit', (code, signal) => exited({ code, signal, at: performance.now() }))
    // Prepended, so that a line is on record before the client acts on it.
    child.stdout.prependListener('data', recorder(wire, 'client'))
    const recordSent = recorder(wire, 'server')
    const write = child.stdin.write.bind(child.stdin)
    child.stdin.write = (chunk, ...rest) => {
      recordSent(chunk)
      return write(chunk, ...rest)
    }
    return started
  }
  return {
    wire,
    exit,
    kill: () => {
      if (child && child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    },
  }
}

function recorder(wire, to) {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n')
    rest = lines.pop()
    for (const line of lines) wire.push({ to, line })
  }
}

/** Clients before 2.x do not expose what they negotiated; the answer to `initialize` does. */
function initializedVersion(wire) {
  for (const { to, line } of wire) {
    if (to === 'client' && line.includes('"protocolVersion"')) return JSON.parse(line).result?.protocolVersion
  }
  return undefined
}
