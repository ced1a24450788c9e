// From the start of an HTTP server to its first answered request: the client knows the address from the output, as a
// person or a script does, and sends one `tools/list` with a token.

import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { startServer } from './http-processes.mjs'
import { callRequest } from './http-requests.mjs'
import { project } from './start.mjs'

const ANSWER_LIMIT_MS = 10_000
/** The server writes its code caches then. */
const FIRST_START_MS = 1_500

const firstAnswer = (port) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const end = (settle, value) => {
      socket.destroy()
      settle(value)
    }
    socket.setTimeout(ANSWER_LIMIT_MS, () => end(reject, new Error('no answer')))
    socket.once('error', (error) => end(reject, error))
    socket.once('data', (chunk) => {
      const at = performance.now()
      const isAnswer = chunk.toString('latin1').startsWith('HTTP/1.1 200')
      end(isAnswer ? resolve : reject, isAnswer ? at : new Error(chunk.toString()))
    })
    socket.write(callRequest(port, 'modern', 'tools/list'))
  })

const withServer = async ({ http }, work) => {
  const startedAt = performance.now()
  const server = await startServer(http, { cwd: project })
  try {
    await work(server, startedAt)
  } finally {
    await server.stop()
  }
}

/** In a folder that is not the home, because a sandbox is verified only there. */
const startUp = (subject, record) =>
  withServer(subject, async ({ port }, startedAt) => record('httpStart', (await firstAnswer(port)) - startedAt))

const startOnce = (subject) =>
  withServer(subject, async ({ port }) => {
    await firstAnswer(port)
    await sleep(FIRST_START_MS)
  })

export const httpStartPhase = {
  name: 'httpstart',
  subjects: ['bare', 'sdk', 'echo', 'server'],
  over: 'http',
  measure: startUp,
  prepare: startOnce,
  // The first round reads the files from disk.
  discardFirst: true,
  full: { rounds: 31 },
  quick: { rounds: 8 },
}
