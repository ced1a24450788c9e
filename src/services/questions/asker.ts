// Asks the user with a form shown by the client. Declares what asking needs of a call.

import type { Who } from '../who.js'
import type { Form } from './form.js'

/** A caller that reports whether its response was written. */
export interface RespondingCall extends Who {
  /** Calls the listener with whether the response was written to the client. */
  whenWritten(listener: (written: boolean) => void): void
}

export interface Asker extends RespondingCall {
  readonly signal: AbortSignal
  /** Name of the client, as sent by the client. */
  readonly client: string
  /** The client declared support for forms. */
  readonly showsForms: boolean
  /** The client requested progress. */
  readonly wantsLife: boolean
  showLife(seconds: number): void
  /** Throws a Failure if the client does not answer the form. */
  askForm(form: Form, options: FormTerms): Promise<FormSaid>
}

export interface FormTerms {
  readonly timeoutMs: number
  /** Receives a reply that arrives after the timeout. */
  readonly late: (reply: FormSaid) => void
}

export type FormSaid = (
  | { readonly action: 'accept'; readonly content: unknown }
  | { readonly action: 'decline' | 'cancel' }
) & {
  /** Milliseconds between form and reply, if known. */
  readonly afterMs?: number | undefined
}
