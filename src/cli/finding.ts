// One result of the doctor.

export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do; absent if nothing is needed. */
  readonly fix?: string
}
