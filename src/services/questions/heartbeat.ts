// A sign of life while somebody is waited for: soon and then every few seconds, so that no client thinks the call dead.

const FIRST_MS = 1000
const BEAT_MS = 5000

/** Tells the seconds that have passed. Returns the way to stop it. */
export function heartbeat(tell: (seconds: number) => void): () => void {
  const startedAt = performance.now()
  const beat = (): void => {
    tell(Math.round((performance.now() - startedAt) / 1000))
    timer = setTimeout(beat, BEAT_MS)
  }
  let timer = setTimeout(beat, FIRST_MS)
  return () => clearTimeout(timer)
}
