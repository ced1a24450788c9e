// Callback rows in SQL: at most eight per session, each in a slot. A time is stored twice, as wall clock and as
// machine uptime: uptime does not jump, but is only valid until the next boot.

export interface CallbackRow {
  readonly session: string
  readonly slot: number
  readonly message: string
  readonly setAt: number
  /** 0 if it waits for an event. */
  readonly delayMs: number
  /** -1: without limit. */
  readonly repeatsLeft: number
  /** When it fires next, in milliseconds since 1970; null if it waits for an event. */
  readonly fireAt: number | null
  /** The same in milliseconds of uptime, and the boot id they refer to. */
  readonly fireUptime: number | null
  readonly boot: string
  /** The job whose end or output it waits for. */
  readonly job: number | null
  readonly pattern: string | null
  /** The offset up to which the output was searched. */
  readonly position: number | null
}

export interface CallbackRows {
  /** Sorted by session and slot. */
  all(): Promise<readonly CallbackRow[]>
  /** Replaces whatever is in its slot. */
  put(row: CallbackRow): Promise<void>
  remove(session: string, slot: number): Promise<void>
}
