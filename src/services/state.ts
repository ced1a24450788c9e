// Opens the database on first use and shares it between services. A failed attempt is repeated on the next use.

import type { Config } from '../config/load.js'
import { Failure } from '../lib/failure.js'
import type { State } from '../store/state/state.js'

export interface LazyState {
  open(): Promise<State>
  /** Calls back once the database is open. */
  whenOpen(listener: (state: State) => void): void
  close(): Promise<void>
}

export function lazyState({ settings }: Pick<Config, 'settings'>): LazyState {
  let opening: Promise<State> | undefined
  let closing: Promise<void> | undefined
  let opened: State | undefined
  const listeners: ((state: State) => void)[] = []

  async function openNow(): Promise<State> {
    const [{ openState }, { statePlaceOf }] = await Promise.all([
      import('../store/state/open-state.js'),
      import('../config/state-place.js'),
    ])
    opened = await openState(statePlaceOf(settings))
    for (const listener of listeners.splice(0)) listener(opened)
    return opened
  }

  async function closeNow(): Promise<void> {
    const database = await opening?.catch(() => undefined)
    await database?.close()
  }

  return {
    open() {
      if (closing) return Promise.reject(new Failure('The server is stopping.'))
      if (opening) return opening
      opening = openNow()
      opening.catch(() => (opening = undefined))
      return opening
    },
    whenOpen(listener) {
      if (opened) listener(opened)
      else listeners.push(listener)
    },
    close: () => (closing ??= closeNow()),
  }
}
