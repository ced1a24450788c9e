// A simulated machine: its monotonic time, its wall clock, its reboots, processes that are killed at any point of a
// transaction, and a log of every callback that was set or fired.

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import { type CallbackService, createCallbackService } from '@scorpiox/server/features/callbacks/callback-service'
import type { ClockReading } from '@scorpiox/server/process/clock'
import type { StateDatabase, StateTables } from '@scorpiox/server/state'
import type { FlagFiles } from '@scorpiox/server/storage/flag-files'

const USER = 'ann'
const PROJECT = '/srv/project'

export interface Firing {
  /** Counts all log entries. */
  readonly order: number
  readonly time: number
  readonly calendar: number
  readonly boots: number
  readonly jumps: number
  readonly session: string
  readonly text: string
  /** Fired so that it becomes part of the result of a call. */
  readonly isForResult: boolean
}

/** One callback as its caller sees it. */
export interface ScheduledCallback {
  readonly name: string
  readonly delayMs: number
  readonly repeats: number
  readonly set: Firing
  readonly by: SimulatedProcess
  readonly fired: Firing[]
  isCancelled: boolean
}

export class SimulatedMachine {
  time = 1_000_000
  calendarOffset = 1_800_000_000_000
  bootedAt = 0
  boots = 1
  jumps = 0
  /** The flag that messages may be pending; missing only if it was lost. */
  isMarked = true
  readonly scheduled = new Map<string, ScheduledCallback>()
  readonly alive = new Set<string>()
  /** When the process was stopped; it still exists. */
  readonly frozen = new Map<string, number>()
  readonly violations: string[] = []
  /** How often each message was written to a client. */
  readonly deliveries = new Map<string, number>()
  /** Messages whose process was killed before it could record the delivery. */
  readonly uncertain = new Set<string>()
  #processes = 0
  #noted = 0

  constructor(readonly openState: () => StateDatabase) {}

  moment = (): ClockReading => ({
    wallMs: this.time + this.calendarOffset,
    // With the resolution of the system clock.
    uptimeMs: Math.floor((this.time - this.bootedAt) / 10) * 10,
    boot: `boot ${this.boots}`,
  })

  jump(ms: number): void {
    this.calendarOffset += ms
    this.jumps++
  }

  /** As other processes see it: without a heartbeat for a quarter of an hour it counts as dead. */
  isGone(name: string): boolean {
    return !this.alive.has(name) || this.time - (this.frozen.get(name) ?? Infinity) > 15 * 60_000
  }

  reboot(): void {
    this.alive.clear()
    this.frozen.clear()
    this.boots++
    this.bootedAt = this.time
  }

  start(): SimulatedProcess {
    const name = `process ${++this.#processes}`
    this.alive.add(name)
    return new SimulatedProcess(this, name, this.openState())
  }

  now(session = '', text = '', isForResult = false): Firing {
    const { time, boots, jumps } = this
    return { order: ++this.#noted, time, calendar: this.moment().wallMs, boots, jumps, session, text, isForResult }
  }

  /** What a committed transaction has inserted. */
  note(session: string, text: string, isForResult: boolean): void {
    const name = text.replace(/^.*\] /, '')
    const callback = this.scheduled.get(name)
    callback?.fired.push(this.now(session, text, isForResult))
    if (callback && session !== callback.by.caller.session && callback.by.isAlive && !callback.by.wasFrozen)
      this.violations.push(`${text} fired elsewhere: robbed`)
  }
}

function marksOf(machine: SimulatedMachine): FlagFiles {
  const isSet = (): boolean => machine.isMarked
  return { isSet, isAnySet: isSet, set: () => void (machine.isMarked = true), clear: () => {} }
}

class Killed extends Error {}

export class SimulatedProcess {
  readonly caller: { readonly user: string; readonly session: string }
  isBusy = false
  /** A result is about to be written. */
  isAnswering = false
  wasFrozen = false
  /** How many transaction steps remain until it is killed; before the commit, or right after it. */
  lethal: { steps: number; readonly afterCommit: boolean } | undefined
  readonly problems: string[] = []
  #work: () => Promise<number | undefined> = () => Promise.resolve(undefined)
  #stop = (): void => {}
  #missed = (): void => {}
  readonly callbacks: CallbackService
  wakeAt = Infinity

  constructor(
    readonly machine: SimulatedMachine,
    readonly name: string,
    state: StateDatabase,
  ) {
    this.caller = { user: USER, session: `session of ${name}` }
    this.callbacks = createCallbackService({
      state: this.#mortal(state),
      project: PROJECT,
      changeEvents: createChangeEvents(),
      clock: machine.moment,
      leaseOwner: name,
      isOwnerGone: ({ owner }) => machine.isGone(owner),
      flags: marksOf(machine),
      jobs: () => Promise.reject(new Error('no jobs here')),
      patterns: () => Promise.reject(new Error('no patterns here')),
      isBusy: () => this.isBusy,
      sideEffects: { run: () => {}, close: () => Promise.resolve() },
      inbox: { fileStemOf: () => '', directoryOf: () => undefined },
      queueLateAnswers: () => Promise.resolve(),
      createWakeTimer: (work) => {
        this.#work = work
        return { wake: () => (this.wakeAt = Math.min(this.wakeAt, machine.time)), close: () => Promise.resolve() }
      },
      warn: (message) => this.problems.push(message),
    })
  }

  get isAlive(): boolean {
    return this.machine.alive.has(this.name)
  }

  die(): void {
    this.machine.alive.delete(this.name)
    this.#stop()
  }

  get isFrozen(): boolean {
    return this.machine.frozen.has(this.name)
  }

  freeze(): void {
    this.wasFrozen = true
    this.machine.frozen.set(this.name, this.machine.time)
  }

  thaw(): void {
    this.machine.frozen.delete(this.name)
  }

  /** Wakes up if a timer has expired. */
  async tick(): Promise<void> {
    if (!this.isAlive || this.isFrozen || this.machine.time < this.wakeAt) return
    this.wakeAt = Infinity
    this.#missed()
    this.#missed = () => {}
    const next = await this.#work()
    if (next !== undefined) this.wakeAt = Math.min(this.wakeAt, this.machine.time + Math.max(next, 5))
  }

  async set(name: string, seconds: number, repeats: number): Promise<void> {
    const { machine, caller } = this
    const callback: ScheduledCallback = {
      name,
      delayMs: seconds * 1000,
      repeats,
      set: machine.now(),
      by: this,
      fired: [],
      isCancelled: false,
    }
    machine.scheduled.set(name, callback)
    try {
      await this.callbacks.set(caller, { message: name, delay_seconds: seconds, repeat_count: repeats })
    } catch {
      // Killed at some step, or no slot is free: the caller got no answer, or a refusal.
      if (this.isAlive) machine.scheduled.delete(name)
      else callback.isCancelled = true
    }
  }

  /** A call is answered: pending messages are put in front of its result, and the write succeeds or fails. */
  async call(isWritten: boolean): Promise<void> {
    this.isAnswering = true
    await this.callbacks.prepare?.(this.caller)
    this.isAnswering = false
    const batch = this.callbacks.takeBatch(this.caller)
    if (!batch) return
    if (!isWritten) return batch.release()
    const lines = batch.text.split('\n\n')
    for (const line of lines) this.machine.deliveries.set(line, (this.machine.deliveries.get(line) ?? 0) + 1)
    batch.confirm()
    // Another result may be written before the delivery of the first is recorded.
    const next = this.callbacks.takeBatch(this.caller)
    next?.release()
    for (const line of next?.text.split('\n\n') ?? []) {
      if (lines.includes(line)) this.machine.deliveries.set(line, (this.machine.deliveries.get(line) ?? 0) + 1)
    }
    await this.#remembered(lines)
    if (!this.isAlive) for (const line of lines) this.machine.uncertain.add(line)
  }

  async #remembered(lines: readonly string[]): Promise<void> {
    for (let tries = 0; tries < 1000 && this.isAlive; tries++) {
      await new Promise((resolve) => setImmediate(resolve))
      const waiting = await this.callbacks.listPending(this.caller).catch(() => [])
      if (!waiting.some(({ text }) => lines.includes(text))) return
    }
  }

  #mortal(state: StateDatabase): StateDatabase {
    const step = (): void => {
      if (!this.isAlive) throw new Killed()
      if (this.lethal && !this.lethal.afterCommit && --this.lethal.steps <= 0) {
        this.die()
        throw new Killed()
      }
    }
    return {
      ...state,
      read: (scope, work) => {
        if (!this.isAlive) return Promise.reject(new Killed())
        return state.read(scope, work)
      },
      write: async (scope, work) => {
        step()
        let inserted: (readonly [string, string])[] = []
        const value = await state.write(scope, (rows) => {
          inserted = []
          return work(stepping(rows, step, inserted))
        })
        for (const [session, text] of inserted) this.machine.note(session, text, this.isAnswering)
        if (inserted.length > 0 && this.isBusy && !this.isAnswering)
          this.machine.violations.push(`${inserted[0]?.[1]} fired into a call: busy`)
        if (this.lethal?.afterCommit && --this.lethal.steps <= 0) this.die()
        if (!this.isAlive) throw new Killed()
        return value
      },
      onChange: (listener) =>
        (this.#stop = state.onChange((scope) => {
          // Changes are noticed some time later.
          if (this.isFrozen) this.#missed = () => listener(scope)
          else listener(scope)
        })),
    }
  }
}

function stepping(rows: StateTables, step: () => void, inserted: (readonly [string, string])[]): StateTables {
  const { messages } = rows
  return {
    ...rows,
    callbacks: stepped(rows.callbacks, step),
    sessions: stepped(rows.sessions, step),
    messages: stepped({ ...messages, insert }, step),
  }

  function insert(
    message: Parameters<StateTables['messages']['insert']>[0],
  ): ReturnType<StateTables['messages']['insert']> {
    inserted.push([message.session, message.text])
    return messages.insert(message)
  }
}

/** The same table, in which every statement is a step. */
function stepped<T extends object>(table: T, step: () => void): T {
  return new Proxy(table, {
    get(target, name, receiver) {
      step()
      return Reflect.get(target, name, receiver)
    },
  })
}
