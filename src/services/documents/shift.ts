// One browser from its start to its end, and an eye on its memory: a page that takes too much is ended before the machine
// suffers, and a browser that has much is tired.

import { Failure } from '../../lib/failure.js'
import type { Rendered, Wish } from '../../platform/browser/browser.js'
import type { LiveBrowser } from '../../platform/browser/launch.js'
import { memoryOf } from '../../platform/browser/memory.js'
import { renderPage } from '../../platform/browser/render.js'
import { signalProcess } from '../../platform/trees.js'
import { FetchFailure } from '../../platform/way-out/fetch-failure.js'

const LOOK_MS = 500

export interface Strength {
  /** Pages it shows before it is tired. */
  readonly maxPages: number
  /** Memory after which it is tired. */
  readonly maxBytes: number
  /** Memory after which a page is ended. */
  readonly maxPageBytes: number
}

export interface Shift {
  readonly isTired: boolean
  readonly isBusy: boolean
  /** It has ended, or never began. */
  readonly isOver: boolean
  render(url: string, wish: Wish): Promise<Rendered>
  close(): Promise<void>
}

export function beginShift(launching: Promise<LiveBrowser>, strength: Strength, onEnd: () => void): Shift {
  let pages = 0
  let showing = 0
  let isHeavy = false
  let isLooking = false
  let hasEnded = false
  let browser: LiveBrowser | undefined
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    hasEnded = true
    onEnd()
  }
  launching.then((live) => {
    browser = live
    void live.ended.then(end)
  }, end)

  async function look(live: LiveBrowser): Promise<void> {
    if (isLooking || live.isOver) return
    isLooking = true
    try {
      const shares = await memoryOf(live)
      for (const { pid, isPage, bytes } of shares)
        if (isPage && bytes > strength.maxPageBytes) signalProcess(pid, 'SIGKILL')
      isHeavy ||= shares.reduce((sum, { bytes }) => sum + bytes, 0) > strength.maxBytes
    } catch (error) {
      // It has ended meanwhile.
      if (!(error instanceof Failure)) throw error
    } finally {
      isLooking = false
    }
  }

  return {
    get isTired() {
      return isHeavy || pages >= strength.maxPages
    },
    get isBusy() {
      return showing > 0
    },
    get isOver() {
      return hasEnded || browser?.isOver === true
    },
    async render(url, wish) {
      pages++
      showing++
      try {
        const live = await unlessAborted(launching, wish.signal)
        timer ??= setInterval(() => void look(live), LOOK_MS).unref()
        return await renderPage(live, url, wish)
      } finally {
        showing--
        if (showing === 0) {
          clearInterval(timer)
          timer = undefined
        }
      }
    },
    async close() {
      const live = await launching.catch(() => undefined)
      await live?.close()
    },
  }
}

/** Who no longer wants a page need not wait for the browser. */
function unlessAborted<T>(event: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return event
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new FetchFailure('aborted', 'The page was no longer wanted.'))
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave)
    event.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
