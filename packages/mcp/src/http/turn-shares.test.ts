import { expect, test } from 'vitest'

import { createTurnShares } from './turn-shares.js'

function createSimulation() {
  let time = 0
  const turns: (() => void)[] = []
  const log: string[] = []
  const shares = createTurnShares(
    () => time,
    (start) => void turns.push(start),
  )
  const run = (user: string, name: string, ms: number): void =>
    shares.run(user, () => {
      log.push(name)
      time += ms
    })
  const nextTurn = (): void => {
    log.push('|')
    for (const start of turns.splice(0)) start()
  }
  return { run, nextTurn, turns, order: () => log.join(' ') }
}

test('work beyond the share of a user waits, in order, and that of others does not', () => {
  const { run, nextTurn, turns, order } = createSimulation()
  for (const name of ['a1', 'a2', 'a3', 'a4']) run('ann', name, 6)
  run('bob', 'b1', 1)
  nextTurn()
  run('ann', 'a5', 1)
  run('bob', 'b2', 1)
  while (turns.length > 0) nextTurn()
  expect(order()).toBe('a1 a2 b1 | a3 a4 b2 | a5 |')
})

test('one piece of work runs in each turn, however long it takes', () => {
  const { run, nextTurn, turns, order } = createSimulation()
  for (const name of ['a1', 'a2', 'a3']) run('ann', name, 100)
  for (const name of ['c1', 'c2']) run('cleo', name, 100)
  nextTurn()
  run('bob', 'b1', 1)
  while (turns.length > 0) nextTurn()
  expect(order()).toBe('a1 c1 | a2 c2 b1 | a3 |')
})

test('short work never waits, and nothing is scheduled when there is none', () => {
  const { run, nextTurn, turns, order } = createSimulation()
  for (let at = 0; at < 9; at++) run('ann', 'a', 1)
  expect(turns).toHaveLength(1)
  nextTurn()
  expect(turns).toHaveLength(0)
  for (let at = 0; at < 9; at++) run('ann', 'a', 1)
  expect(order()).toBe('a a a a a a a a a | a a a a a a a a a')
})
