// Reports progress while a call waits for a user, so that clients do not time out.

const FIRST_BEAT_MS = 1000
const BEAT_MS = 5000

/** Calls back with the seconds elapsed, after 1 s and then every 5 s. Returns a function that stops it. */
export function heartbeat(notify: (seconds: number) => void): () => void {
  const startedAt = performance.now()
  const beat = (): void => {
    notify(Math.round((performance.now() - startedAt) / 1000))
    timer = setTimeout(beat, BEAT_MS)
  }
  let timer = setTimeout(beat, FIRST_BEAT_MS)
  return () => clearTimeout(timer)
}
