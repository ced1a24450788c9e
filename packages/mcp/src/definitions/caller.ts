// The user and session of a call. All stored data is keyed by one or both.

/** The user and session of a call. */
export interface Caller {
  readonly user: string
  readonly session: string
}
