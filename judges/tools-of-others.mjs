// Judge: third-party programs between client and server. mcp-remote connects stdio clients of both protocol eras to this
// server over HTTP; the MCP Inspector lists, lints and calls its tools over stdio, HTTP and the event stream.
import { resolve } from 'node:path'
import { featureChecks } from './http-clients/features.mjs'
import { openHttpSession } from './http-clients/session.mjs'
import { startFixture, startProgram } from './http-clients/servers.mjs'
import { fixtureChecks, serverChecks } from './shared/checks.mjs'
import { conductOne } from './shared/conduct.mjs'
import { openReport } from './shared/report.mjs'
import { bridgeTo, carried, crossings } from './tools-of-others/bridge.mjs'
import { inspectorChecks, withoutToken } from './tools-of-others/inspector.mjs'

const report = openReport('tools-of-others')
const token = 'a-token-for-the-judge'
const program = resolve(import.meta.dirname, '../dist/scorpiox-code.js')

const targets = {
  fixture: { start: startFixture, checks: fixtureChecks },
  server: { start: startProgram, checks: serverChecks },
}
// Concurrently, because they mostly wait for other processes.
await Promise.all([cross(), inspectAll()])
report.finish()

async function cross() {
  for (const crossing of crossings) {
    for (const [name, { start, checks }] of Object.entries(targets)) {
      const server = await start(token)
      try {
        const label = `mcp-remote | ${crossing.label} | ${name}`
        const target = bridgeTo(server, crossing)
        await conductOne(report, label, crossing.client, target, (...given) => carried(checks(...given), crossing))
        if (name === 'fixture') await conductAble(label, crossing, target, server)
      } finally {
        await server.stop()
      }
    }
  }
}

async function inspectAll() {
  const server = await startProgram(token)
  try {
    const auth = ['--header', `Authorization: Bearer ${token}`]
    const ways = {
      stdio: { reach: [process.execPath, program], eras: ['legacy', 'auto', 'modern'] },
      http: { reach: [server.url, '--transport', 'http', ...auth], eras: ['legacy', 'auto', 'modern'] },
      'event stream': { reach: [new URL('/sse', server.url).href, '--transport', 'sse', ...auth], eras: ['legacy'] },
    }
    for (const [way, { reach, eras }] of Object.entries(ways)) {
      for (const era of eras) {
        for (const [what, check] of inspectorChecks(reach, server.scratch, era)) {
          await report.check(`inspector | ${way} | ${era} | ${String(what)}`, check, server.complaints)
        }
      }
    }
    const [what, check] = withoutToken(server.url, server.scratch)
    await report.check(`inspector | http | ${String(what)}`, check, server.complaints)
  } finally {
    await server.stop()
  }
}

/** The same for a client that supports requests and notifications from the server. */
async function conductAble(label, crossing, target, { scratch, complaints }) {
  const env = { PATH: process.env.PATH, HOME: scratch }
  const session = await openHttpSession({ ...crossing.client, over: 'stdio' }, { ...target, env }, true)
  const evidence = (first) => () => [...session.evidence(first), ...complaints()]
  try {
    if (!(await report.check(`${label} | connects`, session.connect, evidence(0)))) return
    for (const [what, check] of carried(featureChecks(session), crossing)) {
      await report.check(`${label} | ${what}`, async () => check(), evidence(session.wire.length))
    }
  } finally {
    await session.dispose()
  }
}
