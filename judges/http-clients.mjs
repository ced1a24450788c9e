// Judge: the client packages of each period over HTTP, event stream and WebSocket, against this server and against a
// server written with its library, with a token. Each must negotiate its own revision and find all features it knows.
// `1/2` runs every other client, `2/2` the rest: old clients interfere with each other in one process.
import { fixtureChecks, serverChecks } from './shared/checks.mjs'
import { openReport } from './shared/report.mjs'
import { modern } from './shared/session.mjs'
import { cutChecks, hangUpChecks, pairChecks, strangerChecks, streamCutChecks } from './http-clients/connections.mjs'
import { featureChecks } from './http-clients/features.mjs'
import { gateChecks } from './http-clients/gate.mjs'
import { openRelay } from './http-clients/relay.mjs'
import { startFixture, startProgram } from './http-clients/servers.mjs'
import { httpClients, openHttpSession } from './http-clients/session.mjs'

const report = openReport('http-clients')
const token = 'a-token-for-the-judge'
const only = process.env.JUDGE_CLIENT
const [part, parts] = (process.argv[2] ?? '1/1').split('/').map(Number)

for (const [index, client] of httpClients.entries()) {
  if (index % parts !== part - 1 || (only && !client.label.includes(only))) continue
  const label = `${client.label} (${client.revision})`
  await serve(`${label} | fixture`, startFixture, async (server, name) => {
    await conduct(name, client, server, fixtureChecks)
    await conduct(name, client, server, featureChecks, true)
    await conduct(name, client, server, hangUpChecks, true)
    await conduct(name, client, server, (session) => pairChecks(session, server), true)
    if (client.over === 'http' && client.revision < modern) await conductCut(name, client, server, cutChecks)
    if (client.over === 'sse') await conductCut(name, client, server, streamCutChecks)
    await runAll(name, strangerChecks(client, server))
  })
  await serve(`${label} | server`, startProgram, async (server, name) => {
    await conduct(name, client, server, (session) => serverChecks(session, server.scratch))
  })
}
if (!only && part === 1) {
  await serve('gate | fixture', startFixture, (server, name) => runAll(name, gateChecks(server)))
  await serve('gate | server', startProgram, (server, name) => runAll(name, gateChecks(server)))
}
report.finish()

/** Starts a server, passes it to `use`, and checks that it exits on request. */
async function serve(label, start, use) {
  let server
  const started = await report.check(
    `${label} | starts`,
    async () => {
      server = await start(token)
    },
    () => [],
  )
  if (!started) return
  try {
    await use(server, label)
  } finally {
    await report.check(
      `${label} | ends`,
      async () => {
        const { code, signal } = await server.stop()
        if (signal === 'SIGKILL') throw new Error(`it had to be killed (code ${code})`)
      },
      server.complaints,
    )
  }
}

/** Runs one list of checks over a separate connection. */
async function conduct(label, client, server, checks, able = false) {
  const session = await openHttpSession(client, server, able)
  const evidence = (first) => () => [...session.evidence(first), ...(server.complaints?.() ?? [])]
  try {
    if (!(await report.check(`${label} | connects`, session.connect, evidence(0)))) return
    for (const [what, check] of checks(session)) {
      await report.check(`${label} | ${what}`, async () => check(), evidence(session.wire.length))
    }
  } finally {
    session.dispose()
  }
}

async function conductCut(label, client, server, checks) {
  const relay = await openRelay(server.url)
  try {
    await conduct(label, client, { ...server, url: relay.url }, (session) => checks(session, relay), true)
  } finally {
    relay.close()
  }
}

async function runAll(label, checks) {
  for (const [what, check] of checks) {
    await report.check(
      `${label} | ${what}`,
      async () => check(),
      () => [],
    )
  }
}
