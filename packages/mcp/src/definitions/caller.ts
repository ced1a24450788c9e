// The user and session of a call. All stored data is keyed by one or both.

/** The user and session of a call. */
export interface Caller {
  readonly user: string
  readonly session: string
}

/** The caller of a request without a session: all such requests of a user share one. */
export function statelessCaller(user: string): Caller {
  return { user, session: `user:${user}` }
}
