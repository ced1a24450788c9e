// A new session takes over what ended sessions left, exactly once, also where no notification was sent.

import { expect, test } from 'vitest'

import { memoryState } from './memory-state.js'
import { SimulatedMachine } from './simulated-machine.js'

async function leftBehind(): Promise<SimulatedMachine> {
  const state = memoryState()
  const machine = new SimulatedMachine(() => state)
  const first = machine.start()
  await first.set('left', 3600, 1)
  first.die()
  return machine
}

test('a request during the takeover waits for it', async () => {
  const { callbacks, caller } = (await leftBehind()).start()
  const arriving = callbacks.sessionStarted(caller)
  expect(await callbacks.list(caller)).toHaveLength(1)
  await arriving
})

test('without a flag file it is found by the next request', async () => {
  const machine = await leftBehind()
  machine.isMarked = false
  const { callbacks, caller } = machine.start()
  expect(await callbacks.list(caller)).toHaveLength(1)
  expect(machine.isMarked).toBe(true)
})

test('a session that keeps everything also takes over what a later killed session left', async () => {
  const state = memoryState()
  const machine = new SimulatedMachine(() => state)
  const [first, survivor] = [machine.start(), machine.start()]
  await survivor.callbacks.adoptOrphans()
  await first.set('left', 30, 1)
  first.die()
  for (let minute = 0; minute < 3; minute++) {
    machine.time += 61_000
    await survivor.tick()
  }
  expect(machine.scheduled.get('left')?.fired).toHaveLength(1)
})
