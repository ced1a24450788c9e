// What the user is asked and how they reply. Types only, used by questions, plans, permissions and the console, whose
// page runs in a browser.

export interface QuestionChoice {
  readonly label: string
  readonly description: string | null
}

export interface FormQuestion {
  readonly text: string
  readonly header: string | null
  readonly choices: readonly QuestionChoice[]
  /** True if several choices may be selected. */
  readonly multiple: boolean
  /** An answer permits something dangerous: neither a view of MCP Apps nor the model may give it. */
  readonly isApproval?: boolean
}

/** The reply to one question of a form. */
export interface QuestionReply {
  readonly outcome: 'answered' | 'declined' | 'cancelled'
  /** Labels of the selected choices, followed by free text. */
  readonly selected: readonly string[]
}

/** `call`: the model passed the answer on. */
export type ApprovalChannel = 'client' | 'page' | 'inbox' | 'call'

/** `view`: through a view of MCP Apps in the chat, which takes no approvals. */
export type AnswerChannel = ApprovalChannel | 'view'
