// The user and session of a call. All stored data is keyed by one or both.

/** The user and session of a call. */
export interface Who {
  readonly user: string
  readonly session: string
}
