// Task and step rows in SQL. Task ids and step ids are unique in a scope and never reused. The row of a task contains
// what lists and searches need: its step counters, and the folded text of its name and steps.

export interface TaskRow {
  readonly id: number
  readonly name: string
  readonly createdAt: number
  /** Milliseconds since 1970, as all times here; null if open. */
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
  /** Each must occur in the task's name or in the text of one of its steps; case and accents are ignored. */
  readonly terms: readonly string[]
  readonly state?: 'open' | 'done' | undefined
  /** Only tasks with a smaller id. */
  readonly before?: number | undefined
  /** Excludes this task. */
  readonly except?: number | undefined
}

export interface TaskCounts {
  readonly tasks: number
  readonly open: number
  /** Open steps of the open tasks. */
  readonly openSteps: number
}

export interface StepWish {
  readonly state?: 'open' | undefined
  /** Only steps with this id or a greater one. */
  readonly from?: number | undefined
  readonly limit?: number | undefined
}

export interface TaskRows {
  /** The id of the current task. */
  current(): Promise<number | undefined>
  setCurrent(id: number): Promise<void>
  find(id: number): Promise<TaskRow | undefined>
  findStep(id: number): Promise<StepRow | undefined>
  /** Sorted by id. */
  steps(taskId: number, query?: StepWish): Promise<readonly StepRow[]>
  insert(name: string, at: number): Promise<TaskRow>
  insertSteps(taskId: number, steps: readonly NewStep[], at: number): Promise<readonly StepRow[]>
  complete(id: number, at: number): Promise<void>
  completeStep(id: number, at: number): Promise<void>
  /** Newest first. */
  list(filter: TaskFilter, limit: number): Promise<readonly TaskRow[]>
  count(filter: TaskFilter): Promise<TaskCounts>
}
