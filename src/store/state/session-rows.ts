// The sessions that have something to come back to, and the process that holds each. One whose process is gone is taken
// over by the next session of the same user and project.

export interface SessionRow {
  readonly name: string
  /** Who holds it, as JSON that only those who hold sessions read. */
  readonly holder: string
  readonly renewedAt: number
}

export interface SessionRows {
  all(): Promise<readonly SessionRow[]>
  hold(session: SessionRow): Promise<void>
  release(name: string): Promise<void>
}
