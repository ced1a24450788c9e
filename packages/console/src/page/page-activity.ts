// Which connections to the server this tab keeps open. A browser opens at most six to one server, for all its tabs
// together, and requests beyond that wait: with many tabs nothing could be answered any more. So a tab that was hidden for a
// while disconnects, except that one tab of each user keeps its event stream, to notify of what is new. Used by
// use-console.ts, the output and the terminal of jobs, and console-page. Sets a timer; listens to the visibility of the
// page; holds a lock of the browser.

import { useEffect, useState } from 'preact/hooks'

/** In the background only the event stream is kept. */
export type PageActivity = 'shown' | 'background' | 'disconnected'

/** Tabs that are left for a short time stay connected. */
const HIDDEN_MS = 10_000

const listeners = new Set<() => void>()
let activity: PageActivity = 'shown'
let owner = ''
let timer: ReturnType<typeof setTimeout> | undefined
/** Of the lock that this tab holds or waits for. */
let release: (() => void) | undefined

/** Tabs of different users do not stand in for each other. */
export function setActivityOwner(user: string): void {
  owner = user
}

export function usePageActivity(): PageActivity {
  const [shown, setShown] = useState(activity)
  useEffect(() => {
    const update = (): void => setShown(activity)
    if (listeners.size === 0) start()
    listeners.add(update)
    update()
    return () => {
      listeners.delete(update)
      if (listeners.size === 0) stop()
    }
  }, [])
  return shown
}

function start(): void {
  document.addEventListener('visibilitychange', onVisibilityChange)
  onVisibilityChange()
}

function stop(): void {
  document.removeEventListener('visibilitychange', onVisibilityChange)
  reset()
}

function reset(): void {
  clearTimeout(timer)
  timer = undefined
  release?.()
  release = undefined
  setActivity('shown')
}

function onVisibilityChange(): void {
  if (!document.hidden) return reset()
  // Without locks the tabs cannot agree on the one that stays connected.
  if (isSecureContext && 'locks' in navigator) timer ??= setTimeout(() => void yieldConnections(), HIDDEN_MS)
}

/** The tab that gets the lock keeps its event stream; the others wait for the lock. */
async function yieldConnections(): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  release = () => waiting.abort()
  const isShown = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const hold = (): Promise<void> => {
    setActivity('background')
    return isShown
  }
  const name = `console ${owner}`
  const wasFree = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await hold()
    return lock !== null
  })
  if (wasFree || signal.aborted) return
  setActivity('disconnected')
  // Rejected when the tab is shown before it gets the lock.
  await navigator.locks.request(name, { signal }, hold).catch(() => undefined)
}

function setActivity(next: PageActivity): void {
  if (next === activity) return
  activity = next
  for (const listener of listeners) listener()
}
