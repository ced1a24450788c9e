// Session leases in SQL: which process holds a session. The next session of the same user and project takes over a
// session whose process is dead.

export interface SessionRow {
  readonly name: string
  /** The holding process as JSON. */
  readonly holder: string
  readonly renewedAt: number
}

export interface SessionRows {
  all(): Promise<readonly SessionRow[]>
  hold(session: SessionRow): Promise<void>
  release(name: string): Promise<void>
}
