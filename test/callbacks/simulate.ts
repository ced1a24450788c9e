// Runs one schedule: callbacks are set and cancelled while the wall clock jumps, the machine sleeps and reboots, calls
// keep sessions busy, and processes are killed inside and outside of transactions. At the end one process runs until
// everything is over, and the log is checked.

import type { StateDatabase } from '@scorpiox/server/state'
import { type Firing, type ScheduledCallback, SimulatedMachine, type SimulatedProcess } from './simulated-machine.js'

const HOUR = 3_600_000

/** Returns the violations; empty if there are none. */
export async function simulate(seed: number, openState: () => StateDatabase): Promise<readonly string[]> {
  const random = generator(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const oneOf = <T>(things: readonly T[]): T | undefined => things[below(things.length)]
  const machine = new SimulatedMachine(openState)
  let processes: SimulatedProcess[] = [machine.start()]
  let named = 0

  const liveProcesses = (): SimulatedProcess[] => (processes = processes.filter(({ isAlive }) => isAlive))
  const runningProcesses = (): SimulatedProcess[] => liveProcesses().filter(({ isFrozen }) => !isFrozen)

  async function start(): Promise<void> {
    const process = machine.start()
    processes.push(process)
    const { callbacks, caller } = process
    await (below(3) === 0 ? callbacks.adoptOrphans() : callbacks.sessionStarted(caller)).catch(() => undefined)
  }

  async function pass(ms: number): Promise<void> {
    const end = machine.time + ms
    for (;;) {
      const wake = Math.min(...runningProcesses().map(({ wakeAt }) => wakeAt))
      if (wake > end) break
      machine.time = Math.min(Math.max(machine.time, wake) + below(40), end)
      await Promise.all(runningProcesses().map((process) => process.tick()))
      if (machine.time === end) break
    }
    machine.time = end
  }

  async function happen(): Promise<void> {
    const process = oneOf(runningProcesses())
    if (!process) return start()
    const chance = below(100)
    if (chance < 30) {
      const isLong = below(20) === 0
      await process.set(
        `c${++named}`,
        isLong ? 1 + below(400) : 1 + below(15),
        isLong ? 1 : (oneOf([1, 1, 2, 3, -1]) ?? 1),
      )
    } else if (chance < 55) await pass(below(9000))
    else if (chance < 60) machine.time += below(2 * HOUR)
    else if (chance < 67)
      machine.jump(below(100) < 30 ? (below(2) - 0.5) * 2 * 365 * 24 * HOUR : below(4 * HOUR) - 2 * HOUR)
    else if (chance < 74) process.isBusy = !process.isBusy
    else if (chance < 81) await process.call(below(3) > 0)
    else if (chance < 84) await cancel(process)
    else if (chance < 89) process.lethal = { steps: 1 + below(15), afterCommit: below(3) === 0 }
    else if (chance < 92) process.die()
    else if (chance < 95 && processes.length < 3) await start()
    else if (chance < 97) await freeze(process)
    else if (chance >= 97) await reboot()
  }

  async function cancel(process: SimulatedProcess): Promise<void> {
    const entry = oneOf(await process.callbacks.list(process.caller).catch(() => []))
    if (!entry) return
    const callback = machine.scheduled.get(entry.callback.message)
    // From now on it may fire or not: the process may be killed at any step.
    if (callback) callback.isCancelled = true
    await process.callbacks.cancel(process.caller, entry.callback.slot).catch(() => undefined)
  }

  async function cancelNamed(name: string): Promise<void> {
    const [process] = liveProcesses()
    const entries = process ? await process.callbacks.list(process.caller) : []
    const entry = entries.find(({ callback }) => callback.message === name)
    if (entry) await process?.callbacks.cancel(process.caller, entry.callback.slot)
  }

  /** As with Ctrl+Z, or on another machine that sleeps: the other processes continue. */
  async function freeze(process: SimulatedProcess): Promise<void> {
    process.freeze()
    machine.time += 20 * 60_000
    if (runningProcesses().length < 2) await start()
    await pass(below(5000))
    await oneOf(runningProcesses())?.call(true)
    process.thaw()
    if (below(2) === 0) await process.call(true)
  }

  async function reboot(): Promise<void> {
    machine.reboot()
    processes = []
    machine.time += below(HOUR)
    if (below(2) === 0) machine.jump(below(4 * HOUR) - 2 * HOUR)
    await start()
  }

  const events = 6 + below(12)
  for (let event = 0; event < events; event++) await happen()
  for (const process of processes) process.die()
  processes = []
  const successor = machine.start()
  processes.push(successor)
  await successor.callbacks.sessionStarted(successor.caller)
  const endless = [...machine.scheduled.values()].filter(({ repeats, isCancelled }) => repeats < 0 && !isCancelled)
  const before = new Map(endless.map(({ name, fired }) => [name, fired.length]))
  for (let round = 0; round < 400 && !isOver(machine, before); round++) {
    await pass(round < 10 ? 5000 : 60_000)
    // A message that could not be written is delivered again by the same process.
    await processes[0]?.call(below(3) > 0)
    // An endless callback has fired often enough.
    for (const { name, fired } of endless) if (fired.length > (before.get(name) ?? 0)) await cancelNamed(name)
  }
  for (let round = 0; round < 50; round++) await processes[0]?.call(true)
  return [...complaints(machine, before), ...machine.violations, ...processes.flatMap(({ problems }) => problems)]
}

function isOver({ scheduled }: SimulatedMachine, before: ReadonlyMap<string, number>): boolean {
  return [...scheduled.values()].every(
    ({ name, repeats, fired, isCancelled }) =>
      isCancelled || (repeats < 0 ? fired.length > (before.get(name) ?? 0) : fired.length >= repeats),
  )
}

function complaints(machine: SimulatedMachine, before: ReadonlyMap<string, number>): readonly string[] {
  const all = [...machine.scheduled.values()]
  const firings = all.flatMap(({ fired }) => fired)
  return [
    ...all.flatMap((callback) => numbers(callback, before)),
    ...all.flatMap(times),
    ...burstViolations(firings),
    ...deliveryViolations(machine, firings),
  ]
}

function numbers(
  { name, repeats, fired, isCancelled }: ScheduledCallback,
  before: ReadonlyMap<string, number>,
): readonly string[] {
  if (repeats > 0 && fired.length > repeats) return [`${name} fired ${fired.length} times, not ${repeats}: double`]
  if (isCancelled) return []
  if (repeats > 0 && fired.length < repeats) return [`${name} fired ${fired.length} times, not ${repeats}: lost`]
  return repeats < 0 && fired.length <= (before.get(name) ?? 0) ? [`${name} does not fire any more: lost`] : []
}

function times({ name, delayMs, set, fired }: ScheduledCallback): readonly string[] {
  return fired.flatMap((firing, index) => {
    const last = fired[index - 1] ?? set
    // After a reboot with another wall clock the time is unknown.
    const isKnown = firing.boots === last.boots || firing.jumps === last.jumps
    return isKnown && firing.time - last.time < delayMs
      ? [`${name} fired ${firing.time - last.time} ms after the last: early`]
      : []
  })
}

function burstViolations(firings: readonly Firing[]): readonly string[] {
  const inOrder = firings.toSorted((a, b) => a.order - b.order)
  return inOrder.flatMap((firing, index) => {
    const last = inOrder.slice(0, index).findLast(({ session }) => session === firing.session)
    // All due messages are part of one result.
    return last && !firing.isForResult && firing.time - last.time < 990
      ? [`${firing.text} came ${firing.time - last.time} ms after another: burst`]
      : []
  })
}

function deliveryViolations(
  { deliveries, uncertain }: SimulatedMachine,
  firings: readonly Firing[],
): readonly string[] {
  const fired = new Map<string, number>()
  for (const { text } of firings) fired.set(text, (fired.get(text) ?? 0) + 1)
  return [...fired].flatMap(([text, times_]) => {
    const count = deliveries.get(text) ?? 0
    if (count < times_) return [`${text} was delivered ${count} times, not ${times_}: lost`]
    return count > times_ && !uncertain.has(text) ? [`${text} was delivered ${count} times, not ${times_}: double`] : []
  })
}

/** Mulberry32: small, and the same on every platform. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
