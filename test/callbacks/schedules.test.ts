// Schedules on a simulated machine; they run all code that decides what fires and what is delivered, some of them on
// real files.

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openStateDatabase } from '@scorpiox/server/state'
import { emptyFolder } from '../support/client.js'
import { memoryState } from './memory-state.js'
import { simulate } from './simulate.js'

const TITLE =
  'schedules with clock jumps, sleep, reboots, busy sessions and kills: none early, lost, double or in bursts'

test(`500 ${TITLE}`, () => simulateInMemory(500))
test(`10,000 ${TITLE}`, { tags: ['long'] }, () => simulateInMemory(10_000))

test('10 schedules on SQLite, each process with its own connection', () => simulateOnFiles(10))
test('100 schedules on SQLite, each process with its own connection', { tags: ['long'] }, () => simulateOnFiles(100))

async function simulateInMemory(count: number): Promise<void> {
  const wrong: string[] = []
  for (let seed = 1; seed <= count; seed++) {
    const state = memoryState()
    for (const complaint of await simulate(seed, () => state)) wrong.push(`${seed}: ${complaint}`)
  }
  expect(wrong.slice(0, 20)).toEqual([])
}

async function simulateOnFiles(count: number): Promise<void> {
  const wrong: string[] = []
  for (let seed = 1; seed <= count; seed++) {
    const folder = emptyFolder()
    const location = { file: join(folder, 'state.db'), databaseUrl: '' }
    const states = await Promise.all(Array.from({ length: 6 }, () => openStateDatabase(location)))
    let next = 0
    const opened = () => states[next++ % states.length] ?? memoryState()
    for (const complaint of await simulate(seed, opened)) wrong.push(`${seed}: ${complaint}`)
    await Promise.all(states.map((state) => state.close()))
    rmSync(folder, { recursive: true })
  }
  expect(wrong.slice(0, 20)).toEqual([])
}
