// Whether a user is looking at a console, as far as this process knows.

export interface Watchers {
  isWatched(user: string): boolean
  /** Calls the listener when presence may have changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}
