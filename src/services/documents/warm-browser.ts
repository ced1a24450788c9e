// One browser for all pages: started by the first that needs it, kept warm, closed when nobody came for a while, replaced
// when it is tired or has died. A few pages are shown at once; the others wait for their turn.

import { setMaxListeners } from 'node:events'

import { deadline } from '../../lib/deadline.js'
import { Failure } from '../../lib/failure.js'
import { createTurns } from '../../lib/turns.js'
import type { Browser, Rendered, Wish } from '../../platform/browser/browser.js'
import type { LiveBrowser } from '../../platform/browser/launch.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import { beginShift, type Shift, type Strength } from './shift.js'

const IDLE_MS = 300_000
const MAX_AT_ONCE = 4
const MB = 1024 * 1024
const STRENGTH: Strength = { maxPages: 100, maxBytes: 600 * MB, maxPageBytes: 1024 * MB }

export interface Terms {
  readonly launch: () => Promise<LiveBrowser>
  readonly idleMs?: number
  readonly strength?: Partial<Strength>
}

export function createWarmBrowser({ launch, idleMs = IDLE_MS, strength }: Terms): Browser {
  const turns = createTurns(MAX_AT_ONCE)
  const shifts = new Set<Shift>()
  const closed = new AbortController()
  // One listener for each page that waits; more than ten is no leak.
  setMaxListeners(0, closed.signal)
  let current: Shift | undefined
  let idle: NodeJS.Timeout | undefined

  function begin(): Shift {
    const shift = beginShift(launch(), { ...STRENGTH, ...strength }, () => {
      shifts.delete(shift)
      if (current === shift) current = undefined
    })
    shifts.add(shift)
    return shift
  }

  function rest(shift: Shift): void {
    if (shift.isBusy) return
    if (current === shift && !shift.isTired) idle = setTimeout(() => dismiss(shift), idleMs).unref()
    else dismiss(shift)
  }

  /** Nobody new comes to it. */
  function dismiss(shift: Shift): void {
    if (current === shift) current = undefined
    void shift.close()
  }

  /** A page that took the whole browser with it took others too, which are shown again. */
  async function show(url: string, wish: Wish, mayTryAgain = true): Promise<Rendered> {
    clearTimeout(idle)
    if (current && (current.isTired || current.isOver)) current = undefined
    const shift = (current ??= begin())
    try {
      return await shift.render(url, wish)
    } catch (error) {
      if (!(error instanceof FetchFailure) || !shift.isOver || !mayTryAgain || isUnwanted(wish)) throw error
    } finally {
      rest(shift)
    }
    return show(url, wish, false)
  }

  function isUnwanted({ signal }: Wish): boolean {
    return closed.signal.aborted || signal?.aborted === true
  }

  return {
    async render(url, wish) {
      const limit = deadline(wish.maxMs, closed.signal, wish.signal)
      const giveBack = await turns.take(limit.signal).finally(limit.clear)
      try {
        if (closed.signal.aborted) throw new Failure('The browser is being closed.')
        if (isUnwanted(wish)) throw new FetchFailure('aborted', `${url} was no longer wanted`)
        if (!giveBack)
          throw new FetchFailure('timeout', `The browser was busy with other pages for ${wish.maxMs} ms; try again`)
        return await show(url, wish)
      } finally {
        giveBack?.()
      }
    },
    async close() {
      closed.abort()
      clearTimeout(idle)
      await Promise.all([...shifts].map((shift) => shift.close()))
    },
  }
}
