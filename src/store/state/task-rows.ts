// The rows behind TaskManager. Numbers of tasks and of steps each run through the whole scope and are never used again.

export interface TaskRow {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  /** Milliseconds since 1970, as all times here; null: open. */
  readonly completedAt: number | null
  readonly steps: number
  readonly stepsDone: number
}

export interface StepRow {
  readonly id: number
  readonly taskId: number
  readonly text: string
  readonly createdAt: number
  readonly completedAt: number | null
}

export interface NewStep {
  readonly text: string
  readonly completedAt: number | null
}

export interface TaskFilter {
  /** Each must occur in the name of a task or in the text of one of its steps, whatever the case or the accents. */
  readonly terms: readonly string[]
  readonly state?: 'open' | 'done' | undefined
  /** Only tasks with a smaller number. */
  readonly before?: number | undefined
  /** Not this one. */
  readonly except?: number | undefined
}

export interface TaskCounts {
  readonly tasks: number
  readonly open: number
  /** Steps that are not done, of the open ones among these tasks. */
  readonly openSteps: number
}

export interface StepWish {
  readonly state?: 'open' | undefined
  /** Without those that have a smaller number. */
  readonly from?: number | undefined
  readonly limit?: number | undefined
}

export interface TaskRows {
  /** The number of the current task. */
  current(): Promise<number | undefined>
  setCurrent(id: number): Promise<void>
  find(id: number): Promise<TaskRow | undefined>
  findStep(id: number): Promise<StepRow | undefined>
  /** In the order they were added. */
  steps(taskId: number, wish?: StepWish): Promise<readonly StepRow[]>
  insert(name: string, at: number): Promise<TaskRow>
  insertSteps(taskId: number, steps: readonly NewStep[], at: number): Promise<readonly StepRow[]>
  complete(id: number, at: number): Promise<void>
  completeStep(id: number, at: number): Promise<void>
  /** Newest first. */
  list(filter: TaskFilter, limit: number): Promise<readonly TaskRow[]>
  count(filter: TaskFilter): Promise<TaskCounts>
}
