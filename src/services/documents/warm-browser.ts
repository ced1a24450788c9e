// Keeps one browser process running for all pages: started by the first page, closed when idle, replaced when exhausted or
// dead. A limited number of pages is open at once; others wait.

import { setMaxListeners } from 'node:events'

import { deadline } from '../../lib/deadline.js'
import { Failure } from '../../lib/failure.js'
import { createTurns } from '../../lib/turns.js'
import type { Browser, Rendered, Wish } from '../../platform/browser/browser.js'
import type { LiveBrowser } from '../../platform/browser/launch.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'
import { beginShift, type Shift, type Strength } from './shift.js'

const IDLE_MS = 300_000
const MAX_ACTIVE_PAGES = 4
const MB = 1024 * 1024
const DEFAULT_LIMITS: Strength = { maxPages: 100, maxBytes: 600 * MB, maxPageBytes: 1024 * MB }

export interface Terms {
  readonly launch: () => Promise<LiveBrowser>
  readonly idleMs?: number
  readonly strength?: Partial<Strength>
}

export function createWarmBrowser({ launch, idleMs = IDLE_MS, strength }: Terms): Browser {
  const semaphore = createTurns(MAX_ACTIVE_PAGES)
  const instances = new Set<Shift>()
  const closed = new AbortController()
  // One listener for each waiting page: more than ten are not a leak.
  setMaxListeners(0, closed.signal)
  let current: Shift | undefined
  let idleTimer: NodeJS.Timeout | undefined

  function startInstance(): Shift {
    const instance = beginShift(launch(), { ...DEFAULT_LIMITS, ...strength }, () => {
      instances.delete(instance)
      if (current === instance) current = undefined
    })
    instances.add(instance)
    return instance
  }

  function scheduleIdleClose(instance: Shift): void {
    if (instance.isBusy) return
    if (current === instance && !instance.isTired) idleTimer = setTimeout(() => retire(instance), idleMs).unref()
    else retire(instance)
  }

  /** Closes the instance; new pages start another one. */
  function retire(instance: Shift): void {
    if (current === instance) current = undefined
    void instance.close()
  }

  /** Retries once if the browser died, because another page may have crashed it. */
  async function renderWithRetry(url: string, options: Wish, canRetry = true): Promise<Rendered> {
    clearTimeout(idleTimer)
    if (current && (current.isTired || current.isOver)) current = undefined
    const instance = (current ??= startInstance())
    try {
      return await instance.render(url, options)
    } catch (error) {
      if (!(error instanceof FetchFailure) || !instance.isOver || !canRetry || isCancelled(options)) throw error
    } finally {
      scheduleIdleClose(instance)
    }
    return renderWithRetry(url, options, false)
  }

  function isCancelled({ signal }: Wish): boolean {
    return closed.signal.aborted || signal?.aborted === true
  }

  return {
    async render(url, options) {
      const waitLimit = deadline(options.maxMs, closed.signal, options.signal)
      const release = await semaphore.take(waitLimit.signal).finally(waitLimit.clear)
      try {
        if (closed.signal.aborted) throw new Failure('The browser is being closed.')
        if (isCancelled(options)) throw new FetchFailure('aborted', `The request for ${url} was cancelled`)
        if (!release)
          throw new FetchFailure('timeout', `The browser was busy with other pages for ${options.maxMs} ms; try again`)
        return await renderWithRetry(url, options)
      } finally {
        release?.()
      }
    },
    async close() {
      closed.abort()
      clearTimeout(idleTimer)
      await Promise.all([...instances].map((instance) => instance.close()))
    },
  }
}
