// The first way to ask a person: one form, shown by the client. That they refuse is an answer too; what a client that
// cannot show it makes of it is none, and then they have to be asked elsewhere.

import { Failure } from '../../lib/failure.js'
import type { Question, Reply } from '../../store/state/question-rows.js'
import type { Asker, FormSaid } from './asker.js'
import { formOf, repliesIn } from './form.js'

export type FormOutcome = { readonly replies: readonly Reply[] } | { readonly problem: string }

export interface ClientTerms {
  readonly timeoutMs: number
  readonly late: (replies: readonly Reply[]) => void
}

export async function askClient(
  questions: readonly Question[],
  asker: Asker,
  { timeoutMs, late }: ClientTerms,
): Promise<FormOutcome> {
  if (!asker.showsForms) return { problem: 'This client shows no forms.' }
  try {
    const said = await asker.askForm(formOf(questions), {
      timeoutMs,
      late(lateSaid) {
        // A form that is taken back is cancelled by the client itself: that says nothing about the person.
        const replies = lateSaid.action === 'cancel' ? undefined : repliesOf(questions, lateSaid)
        if (replies) late(replies)
      },
    })
    const replies = repliesOf(questions, said)
    return replies ? { replies } : { problem: 'The client gave its form back with nothing in it.' }
  } catch (error) {
    if (error instanceof Failure) return { problem: error.message }
    throw error
  }
}

function repliesOf(questions: readonly Question[], said: FormSaid): readonly Reply[] | undefined {
  if (said.action === 'accept') return repliesIn(questions, said.content)
  const outcome = said.action === 'decline' ? 'declined' : 'cancelled'
  return questions.map(() => ({ outcome, selected: [] }))
}
