// The rows behind AskUserQuestion: what was asked of the person and could not be answered by the client at once. A
// question is answered once, whoever answers it; from then on it stays as it is.

export interface Choice {
  readonly label: string
  readonly description: string | null
}

export interface Question {
  readonly text: string
  readonly header: string | null
  readonly choices: readonly Choice[]
  /** Several choices may be made. */
  readonly multiple: boolean
}

/** What was said to one question of a form. */
export interface Reply {
  readonly outcome: 'answered' | 'declined' | 'cancelled'
  /** Labels of the choices made, and the person's own words, which come last. */
  readonly selected: readonly string[]
}

export type Surface = 'client' | 'page' | 'inbox' | 'call'

export interface QuestionRow {
  readonly id: number
  readonly session: string
  readonly askedAt: number
  /** Whether the call that asked waits for it; one whose server was killed goes on saying so. */
  readonly waiting: boolean
  readonly questions: readonly Question[]
  /** One for each question; null while it is open. */
  readonly replies: readonly Reply[] | null
  readonly answeredAt: number | null
  readonly surface: Surface | null
  /** When the replies were written to a client. */
  readonly deliveredAt: number | null
}

export interface QuestionRows {
  insert(asked: Pick<QuestionRow, 'session' | 'askedAt' | 'waiting' | 'questions'>): Promise<QuestionRow>
  find(id: number): Promise<QuestionRow | undefined>
  /** Oldest first. */
  open(): Promise<readonly QuestionRow[]>
  /** Answered, and not delivered. */
  undelivered(): Promise<readonly QuestionRow[]>
  /** False: it was answered before, and nothing is changed. */
  answer(id: number, given: { replies: readonly Reply[]; surface: Surface; answeredAt: number }): Promise<boolean>
  stopWaiting(id: number): Promise<void>
  deliver(id: number, at: number): Promise<void>
  remove(id: number): Promise<void>
  /** Makes what one session asked, and has no answer to yet, another's. */
  readdress(from: string, to: string): Promise<void>
  /** Drops what was asked before that time, apart from answers that are still to be delivered. */
  forget(before: number): Promise<void>
}
