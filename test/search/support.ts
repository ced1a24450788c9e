// Starts the server that imitates the search engines.

import { spawn } from 'node:child_process'
import { join } from 'node:path'

import { afterAll } from 'vitest'

export interface Replay {
  readonly port: number
  /** WEBSEARCH_GATEWAY for a scenario. */
  gateway(scenario: string): string
  counts(): Promise<Record<string, number>>
}

/** Ends with the test file that started it. */
export async function startReplay(): Promise<Replay> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'replay.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterAll(() => void child.kill('SIGKILL'))
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (line) => resolve(Number(line))))
  return {
    port,
    gateway: (scenario) => `http://127.0.0.1:${port}/${scenario}/{engine}`,
    counts: async () => (await fetch(`http://127.0.0.1:${port}/counts`)).json() as Promise<Record<string, number>>,
  }
}

/** One for each engine that accepts one. */
export const ALL_KEYS = 'brave=k1,tavily=k2,kagi=k3,serper=k4,jina=k5,you=k6'
