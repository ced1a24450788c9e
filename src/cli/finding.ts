// One thing the doctor looked at.

export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do; absent where nothing needs doing. */
  readonly fix?: string
}
