// Asks with a form that the client shows. A refusal by the user counts as an answer. A client that cannot show the
// form, or fills it in without a user, yields no answer, and the next channel is tried.

import { Failure } from '../../lib/failure.js'
import type { Question, Reply } from '../../store/state/question-rows.js'
import type { Asker, FormSaid } from './asker.js'
import { formOf, repliesIn } from './form.js'

/** Programs without a user decline or cancel a form within milliseconds. */
const REFUSED_BY_PROGRAM_MS = 1000
/** A user needs longer to read and choose. Lower than the limit for refusals, so that a real choice is not dropped. */
const ACCEPTED_BY_PROGRAM_MS = 250

export type FormOutcome =
  | { readonly replies: readonly Reply[] }
  | {
      readonly problem: string
      /** The client answered without a user. */
      readonly isAutomatic?: boolean
    }

export interface ClientTerms {
  readonly timeoutMs: number
  readonly late: (replies: readonly Reply[]) => void
}

export async function askClient(
  questions: readonly Question[],
  call: Asker,
  { timeoutMs, late }: ClientTerms,
): Promise<FormOutcome> {
  if (!call.showsForms) return { problem: 'The client does not support forms.' }
  try {
    const reply = await call.askForm(formOf(questions, canSkipText(call.client)), {
      timeoutMs,
      late(lateReply) {
        // A client cancels a form that was withdrawn; this is not a reply of the user.
        const replies = lateReply.action === 'cancel' ? undefined : toReplies(questions, lateReply)
        if (replies) late(replies)
      },
    })
    if (isProgramReply(reply)) return { problem: describeProgramReply(reply), isAutomatic: true }
    const replies = toReplies(questions, reply)
    return replies ? { replies } : { problem: 'The client returned an empty form.' }
  } catch (error) {
    if (error instanceof Failure) return { problem: error.message }
    throw error
  }
}

/** In Codex, Enter does nothing in an empty text field, so a form that ends with one cannot be submitted. */
function canSkipText(client: string): boolean {
  return !client.startsWith('codex')
}

function isProgramReply({ action, afterMs = Infinity }: FormSaid): boolean {
  return afterMs < (action === 'accept' ? ACCEPTED_BY_PROGRAM_MS : REFUSED_BY_PROGRAM_MS)
}

function describeProgramReply({ action, afterMs = 0 }: FormSaid): string {
  const did = action === 'accept' ? 'filled in' : action === 'decline' ? 'declined' : 'cancelled'
  return `The client ${did} the form without a user, after ${Math.round(afterMs)} ms.`
}

function toReplies(questions: readonly Question[], reply: FormSaid): readonly Reply[] | undefined {
  if (reply.action === 'accept') return repliesIn(questions, reply.content)
  const outcome = reply.action === 'decline' ? 'declined' : 'cancelled'
  return questions.map(() => ({ outcome, selected: [] }))
}
