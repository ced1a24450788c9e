// Questions to the user that the client could not answer at once. A question is answered exactly once and then stays
// unchanged. Questions and replies are stored as JSON, because they are only read whole.

export interface Choice {
  readonly label: string
  readonly description: string | null
}

export interface Question {
  readonly text: string
  readonly header: string | null
  readonly choices: readonly Choice[]
  /** True if several choices may be selected. */
  readonly multiple: boolean
}

/** The reply to one question of a form. */
export interface Reply {
  readonly outcome: 'answered' | 'declined' | 'cancelled'
  /** Labels of the selected choices, followed by free text. */
  readonly selected: readonly string[]
}

export type Surface = 'client' | 'page' | 'inbox' | 'call'

export interface QuestionRow {
  readonly id: number
  readonly session: string
  readonly askedAt: number
  /** Whether the call that asked is waiting. Stays true if its server was killed. */
  readonly waiting: boolean
  readonly questions: readonly Question[]
  /** One for each question; null while unanswered. */
  readonly replies: readonly Reply[] | null
  readonly answeredAt: number | null
  readonly surface: Surface | null
  /** When the replies were written to a client. */
  readonly deliveredAt: number | null
}

export interface QuestionRows {
  insert(question: Pick<QuestionRow, 'session' | 'askedAt' | 'waiting' | 'questions'>): Promise<QuestionRow>
  find(id: number): Promise<QuestionRow | undefined>
  /** Oldest first. */
  open(): Promise<readonly QuestionRow[]>
  /** Answered but not delivered. */
  undelivered(): Promise<readonly QuestionRow[]>
  /** Returns false, and changes nothing, if it was already answered. */
  answer(id: number, answer: { replies: readonly Reply[]; surface: Surface; answeredAt: number }): Promise<boolean>
  stopWaiting(id: number): Promise<void>
  deliver(id: number, at: number): Promise<void>
  remove(id: number): Promise<void>
  /** Moves the unanswered questions of one session to another. */
  readdress(from: string, to: string): Promise<void>
  /** Deletes questions asked before this time, except answers that are not delivered yet. */
  forget(before: number): Promise<void>
}
