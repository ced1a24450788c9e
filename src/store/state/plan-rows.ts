// Plan rows in SQL: every plan of a scope, at most one of them open, and all versions of each.

export interface PlanRow {
  readonly id: number
  readonly goal: string
  /** The name of the plan's folder under `.scorpiox/sessions/`. */
  readonly session: string
  readonly startedAt: number
  readonly outcome: 'open' | 'accepted' | 'reset'
  readonly endedAt: number | null
  /** The file it was accepted from. */
  readonly planFile: string | null
}

export interface PlanVersion {
  readonly number: number
  readonly text: string
  readonly savedAt: number
}

export interface PlanRows {
  open(): Promise<PlanRow | undefined>
  /** The newest plan, open or not. */
  latest(): Promise<PlanRow | undefined>
  insert(plan: { readonly goal: string; readonly session: string; readonly startedAt: number }): Promise<PlanRow>
  end(
    id: number,
    end: { readonly outcome: 'accepted' | 'reset'; readonly endedAt: number; readonly planFile: string | null },
  ): Promise<void>
  addVersion(planId: number, text: string, savedAt: number): Promise<PlanVersion>
  versions(planId: number): Promise<readonly PlanVersion[]>
  /** Sorted by id. */
  all(): Promise<readonly PlanRow[]>
}
