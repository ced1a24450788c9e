import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type CallLog, createCallLog } from './call-log.js'

const caller = (user: string, session = 's') => ({ user, session })

const client = { name: '', version: '' }

function runCall(
  log: CallLog,
  user: string,
  { tool, input }: { readonly tool: string; readonly input: unknown },
): void {
  const call = { tool, input, client }
  log.onStart(caller(user), call)
  log.onEnd(caller(user), { ...call, outcome: 'ok', ms: 1, answer: undefined }, call)
}

test('lists running and ended calls, for their user only', () => {
  const log = createCallLog()
  const started = { tool: 'Bash', input: { command: 'make all', timeout: 5 }, client }
  log.onStart(caller('ann'), started)
  expect(log.forUser('ann')).toMatchObject([{ tool: 'Bash', about: ' make all timeout=5', outcome: 'running', ms: 0 }])
  log.onEnd(caller('ann'), { ...started, outcome: 'error', ms: 12.7, answer: undefined }, started)
  expect(log.forUser('ann')).toMatchObject([{ tool: 'Bash', outcome: 'error', ms: 13 }])
  expect(log.forUser('bob')).toEqual([])
})

test('a session is busy until its last call has ended', () => {
  const log = createCallLog()
  const [first, second] = [
    { tool: 'Bash', input: {}, client },
    { tool: 'Bash', input: {}, client },
  ]
  const states = (): readonly boolean[] => [log.isBusy('ann', 's'), log.isBusy('ann', 'other'), log.isBusy('bob', 's')]
  expect(states()).toEqual([false, false, false])
  log.onStart(caller('ann'), first)
  log.onStart(caller('ann'), second)
  log.onEnd(caller('ann'), { ...first, outcome: 'ok', ms: 1, answer: undefined }, first)
  expect(states()).toEqual([true, false, false])
  log.onEnd(caller('ann'), { ...second, outcome: 'cancelled', ms: 1, answer: undefined }, second)
  expect(states()).toEqual([false, false, false])
})

test('subscribers receive starts, ends and disconnections until they unsubscribe', () => {
  const log = createCallLog()
  const events: string[] = []
  const unsubscribe = log.subscribe(({ kind, caller: { user, session } }) =>
    events.push(`${kind} ${user} ${session} ${log.isBusy(user, session) ? 'busy' : 'idle'}`),
  )
  runCall(log, 'ann', { tool: 'Bash', input: {} })
  log.onDisconnect(caller('bob', 't'))
  unsubscribe()
  runCall(log, 'ann', { tool: 'Bash', input: {} })
  expect(events).toEqual(['start ann s busy', 'end ann s idle', 'disconnect bob t idle'])
})

test('one user does not evict the calls of another', () => {
  const log = createCallLog()
  runCall(log, 'ann', { tool: 'first', input: undefined })
  for (let times = 0; times < 5000; times++) runCall(log, 'bob', { tool: 'noise', input: undefined })
  expect(log.forUser('ann').map(({ tool }) => tool)).toEqual(['first'])
  expect(log.forUser('bob')).toHaveLength(100)
})

test('summarizes any input in a short text', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (input, tool) => {
      const log = createCallLog()
      log.onStart(caller('ann'), { tool: tool.repeat(50), input, client })
      const [call] = log.forUser('ann')
      expect(call?.about.length).toBeLessThanOrEqual(240)
      expect(call?.tool.length).toBeLessThanOrEqual(240)
    }),
  )
})

test('the summary does not keep a large input in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const log = createCallLog()
  const before = process.memoryUsage().heapUsed
  for (let times = 0; times < 100; times++) {
    const tool = `Bash${'x'.repeat(1_000_000)}${times}`
    runCall(log, 'ann', { tool, input: { command: `${times} ${'y'.repeat(1_000_000)}` } })
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  expect(log.forUser('ann')).toHaveLength(100)
})
