// Ten thousand schedules on a simulated machine, against everything that decides what fires and what is told; some of
// them on real files.

import { rmSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openState } from '../../src/store/state/open-state.js'
import { emptyFolder } from '../support.js'
import { memoryState } from './memory-state.js'
import { simulate } from './simulate.js'

test('10,000 schedules with jumps, sleep, boots, busy sessions and kills: none early, lost, double or in bursts', async () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= 10_000; seed++) {
    const state = memoryState()
    for (const complaint of await simulate(seed, () => state)) wrong.push(`${seed}: ${complaint}`)
  }
  expect(wrong.slice(0, 20)).toEqual([])
}, 120_000)

test('the same on SQLite, each process with a connection of its own', async () => {
  const wrong: string[] = []
  for (let seed = 1; seed <= 100; seed++) {
    const folder = emptyFolder()
    const place = { file: join(folder, 'state.db'), databaseUrl: '' }
    const states = await Promise.all(Array.from({ length: 6 }, () => openState(place)))
    let next = 0
    const opened = () => states[next++ % states.length] ?? memoryState()
    for (const complaint of await simulate(seed, opened)) wrong.push(`${seed}: ${complaint}`)
    await Promise.all(states.map((state) => state.close()))
    rmSync(folder, { recursive: true })
  }
  expect(wrong.slice(0, 20)).toEqual([])
}, 120_000)
