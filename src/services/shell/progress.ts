// Shows the newest line of a running command, four times a second at most; and when there is no new one for a while, the
// last one again, so that whoever waits knows that it is still at work.

import type { Work } from './work.js'

const SHOW_EVERY_MS = 250
const HEARTBEAT_MS = 5000

/** Returns the way to stop it. */
export function showLines(work: Work, show: (line: string) => void): () => void {
  const startedAt = performance.now()
  let shownAt = -Infinity
  let timer: NodeJS.Timeout | undefined

  function showNow(): void {
    clearTimeout(timer)
    shownAt = performance.now()
    show(work.digester.newestLine())
    beat()
  }

  function beat(): void {
    timer = setTimeout(() => {
      shownAt = performance.now()
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      show(`${work.digester.newestLine()} [${seconds} s]`.trimStart())
      beat()
    }, HEARTBEAT_MS)
  }

  let isDue = false
  const leave = work.onOutput(() => {
    if (isDue) return
    const wait = SHOW_EVERY_MS - (performance.now() - shownAt)
    if (wait <= 0) return showNow()
    isDue = true
    clearTimeout(timer)
    timer = setTimeout(() => {
      isDue = false
      showNow()
    }, wait)
  })
  beat()
  return () => {
    leave()
    clearTimeout(timer)
  }
}
