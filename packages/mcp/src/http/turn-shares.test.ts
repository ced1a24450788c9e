import { expect, test } from 'vitest'

import { createTurnShares } from './turn-shares.js'

/** Time passes in the work, and up to the next callback when it is awaited. */
function createSimulation() {
  let time = 0
  let wakes: { readonly start: () => void; readonly at: number }[] = []
  const log: string[] = []
  const shares = createTurnShares(
    () => time,
    (start, ms) => void wakes.push({ start, at: time + ms }),
  )
  return {
    run: (user: string, name: string, ms: number): void =>
      shares.run(user, () => {
        log.push(`${name}@${time}`)
        time += ms
      }),
    nextTurn: (): void => {
      const first = wakes.toSorted((a, b) => a.at - b.at)[0]
      wakes = wakes.filter((wake) => wake !== first)
      time = Math.max(time, first?.at ?? time)
      first?.start()
    },
    isAwaited: () => wakes.length > 0,
    order: () => log.join(' '),
  }
}

test('work beyond the share of a user waits, in order, and that of others does not', () => {
  const { run, nextTurn, isAwaited, order } = createSimulation()
  for (const name of ['a1', 'a2', 'a3', 'a4']) run('ann', name, 6)
  run('bob', 'b1', 1)
  nextTurn()
  run('ann', 'a5', 1)
  run('bob', 'b2', 1)
  while (isAwaited()) nextTurn()
  run('ann', 'a6', 1)
  expect(order()).toBe('a1@0 a2@6 b1@12 b2@13 a3@14 a4@20 a5@26 a6@27')
})

test('after a single long piece of work the user waits as long, and others do not', () => {
  const { run, nextTurn, isAwaited, order } = createSimulation()
  for (const name of ['a1', 'a2', 'a3']) run('ann', name, 100)
  for (let turn = 0; turn < 3; turn++) {
    nextTurn()
    for (let at = 0; at < 9; at++) run('bob', 'b', 1)
  }
  while (isAwaited()) nextTurn()
  expect(order().replaceAll(/ b@\d+/g, '')).toBe('a1@0 a2@200 a3@400')
  expect(order().match(/b@/g)).toHaveLength(27)
})

test('short work never waits, and nothing is scheduled when there is none', () => {
  const { run, nextTurn, isAwaited, order } = createSimulation()
  for (let at = 0; at < 3; at++) run('ann', 'a', 3)
  nextTurn()
  expect(isAwaited()).toBe(false)
  for (let at = 0; at < 3; at++) run('ann', 'a', 3)
  expect(order()).toBe('a@0 a@3 a@6 a@9 a@12 a@15')
})
