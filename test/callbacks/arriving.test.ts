// A new session takes over what ended sessions left, exactly once, also where no notification was sent.

import { expect, test } from 'vitest'

import { memoryState } from './memory-state.js'
import { SimulatedMachine } from './simulated-machine.js'

async function leftBehind(): Promise<SimulatedMachine> {
  const state = memoryState()
  const world = new SimulatedMachine(() => state)
  const first = world.start()
  await first.set('left', 3600, 1)
  first.die()
  return world
}

test('a request during the takeover waits for it', async () => {
  const { callbacks, who } = (await leftBehind()).start()
  const arriving = callbacks.sessionStarted(who)
  expect(await callbacks.list(who)).toHaveLength(1)
  await arriving
})

test('without a flag file it is found by the next request', async () => {
  const world = await leftBehind()
  world.isMarked = false
  const { callbacks, who } = world.start()
  expect(await callbacks.list(who)).toHaveLength(1)
  expect(world.isMarked).toBe(true)
})

test('a session that keeps everything also takes over what a later killed session left', async () => {
  const state = memoryState()
  const world = new SimulatedMachine(() => state)
  const [first, keeper] = [world.start(), world.start()]
  await keeper.callbacks.adoptOrphans()
  await first.set('left', 30, 1)
  first.die()
  for (let minute = 0; minute < 3; minute++) {
    world.time += 61_000
    await keeper.tick()
  }
  expect(world.booked.get('left')?.fired).toHaveLength(1)
})
