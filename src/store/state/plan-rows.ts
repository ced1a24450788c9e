// The rows behind PlanMode: every plan that was ever opened in a scope, at most one of them open, and each version of each.

export interface PlanRow {
  readonly id: number
  readonly goal: string
  /** The name of the folder under `.scorpiox/sessions/` that the plan is written in. */
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
  /** The one opened last, open or not. */
  latest(): Promise<PlanRow | undefined>
  insert(plan: { readonly goal: string; readonly session: string; readonly startedAt: number }): Promise<PlanRow>
  end(
    id: number,
    end: { readonly outcome: 'accepted' | 'reset'; readonly endedAt: number; readonly planFile: string | null },
  ): Promise<void>
  addVersion(planId: number, text: string, savedAt: number): Promise<PlanVersion>
  versions(planId: number): Promise<readonly PlanVersion[]>
  /** In the order they were opened. */
  all(): Promise<readonly PlanRow[]>
}
