// The rows behind SetCallback: at most eight for a session, each in a slot. A time is kept twice, by the calendar and by
// the machine's uptime: the second neither jumps nor stands still, but means something only until the machine is started anew.

export interface CallbackRow {
  readonly session: string
  readonly slot: number
  readonly message: string
  readonly setAt: number
  /** 0 where it waits for an event. */
  readonly delayMs: number
  /** -1: for ever. */
  readonly repeatsLeft: number
  /** When it fires next, by the calendar; null where it waits for an event. */
  readonly fireAt: number | null
  /** The same in milliseconds of uptime, and the boot they count from. */
  readonly fireUptime: number | null
  readonly boot: string
  /** The background job whose end, or whose output, it waits for. */
  readonly job: number | null
  readonly pattern: string | null
  /** How far that output was looked at. */
  readonly position: number | null
}

export interface CallbackRows {
  /** By session and slot. */
  all(): Promise<readonly CallbackRow[]>
  /** Puts it into its slot, whatever was there. */
  put(row: CallbackRow): Promise<void>
  remove(session: string, slot: number): Promise<void>
}
