// Drives one client through its sessions: all tools over stdio, a server over HTTP with a token, and kill -9 of the client.
import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProgram } from '../http-clients/servers.mjs'
import { expectEqual } from './expect.mjs'
import { killScenarios, killWhileRunning } from './kill-client.mjs'
import { processesLeft } from './processes.mjs'
import { httpScenarios, scenarios } from './scenarios.mjs'
import { runSession } from './session.mjs'
import { answerOnTerminal } from './terminal-session.mjs'
import { createWorkspace, installInto, tapServer, writeLauncher } from './workspace.mjs'

const picture = resolve(import.meta.dirname, '../../docs/pictures/jobs-light.png')
const token = 'a-token-for-the-judge'

/** @returns what was found out about the client, for the table of docs/clients.md */
export async function judgeClient({ driver, packages, version, report }) {
  const found = { version, scenarios: {} }
  const check = async (name, run) => {
    found.scenarios[name] = await report.check(
      `${driver.label} | ${name}`,
      async () => run(),
      () => [],
    )
  }
  const sessions = [overStdio, overHttp, killed, ...(driver.terminal ? [onTerminal] : [])]
  const wanted = process.env.JUDGE_SESSION ? [process.env.JUDGE_SESSION] : driver.sessions
  for (const session of wanted ? sessions.filter(({ name }) => wanted.includes(name)) : sessions) {
    const workspace = createWorkspace(driver.id)
    try {
      await session({ driver, packages, workspace, check, found })
    } finally {
      if (!process.env.JUDGE_KEEP) workspace.remove()
    }
  }
  return found
}

/** Every tool, in one session, configured by our own `install` where it knows the client. */
async function overStdio({ driver, packages, workspace, check, found }) {
  workspace.write('project/.scorpiox/skills/judge-skill/SKILL.md', skill)
  workspace.image = join(workspace.project, 'picture.png')
  copyFileSync(picture, workspace.image)
  connect(driver, workspace)
  const wire = tapServer(workspace)
  const { outcomes, facts, left, beyondLoopback, requests } = await runSession({
    driver,
    packages,
    workspace,
    scenarios: driver.scenarios ?? scenarios,
    wire,
  })
  for (const [name, error] of outcomes) await check(name, () => raise(error))
  await check('nothing is left', () => expectEqual(left, [], 'processes of the session'))
  await check('loopback only', () => expectEqual(beyondLoopback, [], 'connections beyond loopback'))

  const messages = wire()
  const request = messages.find(
    ({ message }) => message.method === 'initialize' || message.method === 'server/discover',
  )
  const { protocolVersion = requestedRevision(request), instructions } = answerTo(messages, request) ?? {}
  const scripted = requests.filter(({ ignored }) => !ignored)
  // They may stand anywhere in it, indented too: in the system prompt, or in the description of the tools.
  const plain = (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll(/(?:\\n|\s)+/g, ' ')
  const arrived = Boolean(instructions) && scripted.some(({ body }) => plain(body).includes(plain(instructions)))
  await check('instructions', () =>
    expectEqual(arrived, driver.instructions, 'whether the instructions are in a request to the model'),
  )
  // Some clients offer tools only after the model asked for them.
  const names = new Set(listedTools(messages).map((name) => driver.toolName(name)))
  const ours = scripted.at(-1)?.turn.tools.filter(({ name }) => names.has(name)) ?? []
  const definitions = JSON.stringify(ours.map(({ definition }) => definition))
  Object.assign(found, { protocol: protocolVersion, instructions: arrived, tools: ours.length })
  if (ours.length > 0) found.toolBytes = Buffer.byteLength(definitions)
  Object.assign(found, facts)
}

async function overHttp({ driver, packages, workspace, check }) {
  const server = await startProgram(token)
  try {
    driver.configure({ workspace })
    driver.connectHttp({ workspace, url: server.url, token })
    const { outcomes, left } = await runSession({
      driver,
      packages,
      workspace,
      scenarios: driver.httpScenarios ?? httpScenarios,
    })
    for (const [name, error] of outcomes) await check(name, () => raise(error))
    await check('nothing is left after HTTP', () => expectEqual(left, [], 'processes of the session'))
  } finally {
    await server.stop()
  }
  await check('nothing is left of the HTTP server', async () =>
    expectEqual(await processesLeft(server.scratch), [], 'processes of the server'),
  )
}

async function killed({ driver, packages, workspace, check }) {
  connect(driver, workspace)
  const session = {
    driver,
    packages,
    workspace,
    scenarios: driver.killScenarios ?? killScenarios,
    during: killWhileRunning,
  }
  const { during, left } = await runSession(session)
  await check('kill -9 of the client', () => {
    raise(during)
    expectEqual(left, [], 'processes of the session')
  })
}

async function onTerminal({ driver, packages, workspace, check }) {
  connect(driver, workspace)
  const { outcome, left } = await answerOnTerminal({ driver, packages, workspace, wire: tapServer(workspace) })
  await check('question on a terminal', () => raise(outcome))
  await check('nothing is left after the terminal', () => expectEqual(left, [], 'processes of the session'))
}

function connect(driver, workspace) {
  if (driver.install) installInto(workspace, driver.install, driver.installOptions)
  else driver.connectStdio({ workspace, command: writeLauncher(workspace) })
  driver.configure({ workspace })
}

function listedTools(messages) {
  const request = messages.find(({ message }) => message.method === 'tools/list')
  return answerTo(messages, request)?.tools.map(({ name }) => name) ?? []
}

/** From 2026-07-28 on every request names its revision, and `server/discover` answers with all that the server knows. */
function requestedRevision(request) {
  return request?.message.params?._meta?.['io.modelcontextprotocol/protocolVersion']
}

function answerTo(messages, request) {
  const id = request?.message.id
  return messages.find(({ from, message }) => from === 'server' && !message.method && message.id === id)?.message.result
}

function raise(error) {
  if (error) throw error
}

const skill = `---
name: judge-skill
description: "Counts. Used by the judge."
---

Count to $ARGUMENTS, then stop.
`
