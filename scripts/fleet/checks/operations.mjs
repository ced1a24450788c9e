// Tokens, limits and what operators look at, on any machine.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { WebSocket } from 'ws'

import { message } from '../clients.mjs'
import { openStream, sendRequest } from '../http-client.mjs'
import { createUsers } from '../topology.mjs'
import { eventually, withLimit } from '../wait.mjs'
import { callOn } from './jobs.mjs'

const PING = { body: message('ping'), headers: { 'mcp-protocol-version': '2025-06-18' } }
const REVOKED_WITHIN_MS = 2_000
/** The defaults of RATE_LIMIT and RATE_BURST. */
const [RATE_LIMIT, RATE_BURST] = [100, 400]
let users = 0

export const operationChecks = {
  async 'a token made on one machine, and revoked on another'({ machines, first }) {
    const [user] = await createUsers(first, 1, `brief-${++users}`)
    const wrong = []
    for (const machine of machines) {
      const { status, text } = await sendRequest(machine.url, { token: user.token, ...PING })
      if (status !== 200) wrong.push(`a new token is refused by ${machine.name}: ${status} ${text}`)
    }
    await machines.at(-1).command('token', 'revoke', user.tokenId)
    await sleep(REVOKED_WITHIN_MS)
    for (const machine of machines) {
      const { status } = await sendRequest(machine.url, { token: user.token, ...PING })
      if (status !== 401) wrong.push(`a revoked token still works on ${machine.name}: ${status}`)
    }
    return wrong
  },

  async 'a token revoked while streams and WebSockets are open on all machines'({ fleet, machines, first, figures }) {
    const [user] = await createUsers(first, 1, `streaming-${++users}`)
    const opened = await Promise.all(machines.flatMap((machine) => [openSse(machine, user), openSocket(machine, user)]))
    await machines.at(-1).command('token', 'revoke', user.tokenId)
    const revokedAt = Date.now()
    const times = await Promise.all(
      opened.map(({ name, ended }) => withLimit(`the end of ${name}`, 20_000, ended).then((at) => at - revokedAt)),
    )
    const slowest = Math.max(...times, 0)
    figures['slowest end ms'] = Math.max(figures['slowest end ms'] ?? 0, slowest)
    const limit = fleet.options.judgesTimes ? REVOKED_WITHIN_MS : 20_000
    return slowest <= limit ? [] : [`a stream of a revoked token ended after ${slowest} ms`]
  },

  async 'one rate limit for all machines'({ fleet, machines, first }) {
    // Once is enough: the requests of one round keep the test machine busy.
    if (first !== fleet.machines[0]) return []
    const [user] = await createUsers(first, 1, `eager-${++users}`)
    const startedAt = Date.now()
    let [served, refused] = [0, 0]
    while (refused < 20 && served < RATE_BURST * 3) {
      const sent = machines.flatMap(({ url }) =>
        Array.from({ length: 8 }, () => sendRequest(url, { token: user.token, ...PING })),
      )
      for (const { status } of await Promise.all(sent)) {
        if (status === 429) refused++
        else if (status === 200) served++
        else return [`a ping was answered with ${status}`]
      }
    }
    const allowed = RATE_BURST + (RATE_LIMIT * (Date.now() - startedAt)) / 1000 + 20
    return served <= allowed ? [] : [`${served} requests were served, ${Math.round(allowed)} are allowed`]
  },

  async 'machines: list, metrics and readiness'({ fleet, machines, user }) {
    const wrong = []
    const list = await machines[0].command('machines')
    for (const { name, url } of fleet.machines) {
      if (!list.includes(name)) wrong.push(`machines does not list ${name}: ${list}`)
      const { text } = await sendRequest(url, { method: 'GET', path: '/metrics', token: user.token })
      if (!text.includes(name)) wrong.push(`the metrics of ${name} do not name it`)
      const ready = await sendRequest(url, { method: 'GET', path: '/readyz' })
      if (ready.status !== 200) wrong.push(`${name} is not ready: ${ready.status}`)
    }
    return wrong
  },

  async 'users do not see each other'({ machines, user, fleet }) {
    const [other] = fleet.users
    const secret = `secret-of-${user.name}`
    await callOn(machines[0], user, 'TaskManager', { action: 'create', text: secret, query: '' })
    const seen = []
    for (const machine of machines) {
      const { result } = await callOn(machine, other, 'TaskManager', { action: 'list', query: '' })
      if (JSON.stringify(result ?? '').includes(secret)) seen.push(`${machine.name} shows ${secret} to ${other.name}`)
    }
    return seen
  },
}

/** `ended` resolves to the time. */
async function openSse({ name, url }, { token }) {
  const stream = await openStream(url, { path: '/sse', token, limitMs: 60_000 })
  if (stream.status !== 200) throw new Error(`${name} refused a stream with ${stream.status}`)
  return {
    name: `a stream on ${name}`,
    ended: eventually('it has ended', () => stream.isOver()).then(() => Date.now()),
  }
}

async function openSocket({ name, url }, { token }) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/mcp`, 'mcp', {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  return { name: `a WebSocket on ${name}`, ended: once(socket, 'close').then(() => Date.now()) }
}
