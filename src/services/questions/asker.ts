// What the one who asks can do: the call, as far as asking a person needs it.

import type { Who } from '../who.js'
import type { Form } from './form.js'

export interface Asker extends Who {
  readonly signal: AbortSignal
  /** The name of its client, as the client gives it. */
  readonly client: string
  /** Whether its client says that it can show a form. */
  readonly showsForms: boolean
  /** Whether its client wants to be told that the call is alive. */
  readonly wantsLife: boolean
  showLife(seconds: number): void
  /** A Failure where the client makes nothing of it. */
  askForm(form: Form, terms: FormTerms): Promise<FormSaid>
  /** Tells whether what the call comes to was written to the client. */
  whenWritten(listener: (written: boolean) => void): void
}

export interface FormTerms {
  readonly timeoutMs: number
  /** Told what was said when the time was up. */
  readonly late: (said: FormSaid) => void
}

export type FormSaid = (
  | { readonly action: 'accept'; readonly content: unknown }
  | { readonly action: 'decline' | 'cancel' }
) & {
  /** Milliseconds from the form to the answer, where known. */
  readonly afterMs?: number | undefined
}
