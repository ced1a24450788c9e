// Who is looking at the board just now, as far as this process is told: whoever waits for a person asks here first.

export interface Watchers {
  isWatched(user: string): boolean
  /** Told when that may have changed. Returns the way out. */
  onChange(listener: () => void): () => void
}
