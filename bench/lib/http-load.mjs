// The load generator, a process of its own so that it can have a core of its own. Takes one job per line on stdin and
// answers each with one line. Raw sockets and bytes made beforehand: it must cost far less than what it measures.

import { createInterface } from 'node:readline'

import { runCalls } from './http-calls.mjs'
import { broadcast, closeStreams, countOpen, openStreams } from './http-streams.mjs'

const jobs = { calls: runCalls, open: openStreams, broadcast, count: countOpen, close: closeStreams }

for await (const line of createInterface({ input: process.stdin })) {
  const { job, ...settings } = JSON.parse(line)
  try {
    process.stdout.write(JSON.stringify(await jobs[job](settings)) + '\n')
  } catch (error) {
    process.stdout.write(JSON.stringify({ error: error.message }) + '\n')
  }
}
process.exit(0)
