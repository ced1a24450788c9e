// Asks the user whether a command may run, over the channels of AskUserQuestion. An answer that the model passes on does
// not count. An answer that comes later counts when the same command is called again. Passed to permission-service by
// services.ts of the app. No I/O of its own: uses the question service.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { AnswerChannel, FormQuestion, QuestionReply } from '../../calls/question-form.js'
import type { QuestionService } from '../questions/index.js'
import { toAskingCall } from '../questions/lazy.js'
import type { ApprovalQuestion, ApprovalReply } from './permission-service.js'

const ONCE = 'Run it once'
const ALWAYS = 'Always in this project'
const NO = 'Do not run it'
const MAX_SHOWN = 2000
const MAX_OPEN = 100

export function createApprovalAsker(openQuestions: () => Promise<QuestionService>) {
  /** The stored question about a command that was not answered in time. */
  const open = new Map<string, number>()

  async function findLateReply(key: string, call: CallContext, questions: QuestionService) {
    const id = open.get(key)
    if (id === undefined) return undefined
    const { row } = await questions.answer(toAskingCall(call), id, undefined)
    if (!row.replies) return { decision: 'none', comment: `Question ${id} is still open.` } as const
    open.delete(key)
    return isByModel(row.surface) ? undefined : toReply(row.replies)
  }

  return async function askForApproval(question: ApprovalQuestion, call: CallContext): Promise<ApprovalReply> {
    const questions = await openQuestions()
    const key = JSON.stringify([call.user, question.command])
    const late = await findLateReply(key, call, questions)
    if (late) return late
    const result = await questions.ask([toFormQuestion(question)], toAskingCall(call))
    if ('replies' in result) return isByModel(result.surface) ? BY_MODEL : toReply(result.replies)
    if (result.id !== undefined) {
      if (open.size >= MAX_OPEN) open.clear()
      open.set(key, result.id)
    }
    const stored =
      result.id === undefined ? '' : ` Question ${result.id} waits on the console page and in the terminal inbox.`
    return { decision: 'none', comment: `${result.reasons.join(' ')}${stored}` }
  }
}

/** Such an answer is refused; but a server of an older version that uses the same database accepts it. */
function isByModel(surface: AnswerChannel | null): boolean {
  return surface === 'call' || surface === 'view'
}

const BY_MODEL = { decision: 'none', comment: 'An answer that does not come from the user does not count.' } as const

function toFormQuestion({ command, reason, rules }: ApprovalQuestion): FormQuestion {
  const shown = command.length <= MAX_SHOWN ? command : `${command.slice(0, MAX_SHOWN)}… (${command.length} characters)`
  const always = { label: ALWAYS, description: `Adds ${rules.join(', ')}` }
  return {
    header: 'Command',
    text: `May this command run? It needs your approval because ${reason}.\n\n${shown}`,
    choices: [
      { label: ONCE, description: null },
      ...(rules.length === 0 ? [] : [always]),
      { label: NO, description: null },
    ],
    multiple: false,
    isApproval: true,
  }
}

function toReply([reply]: readonly QuestionReply[]): ApprovalReply {
  if (reply?.outcome !== 'answered') return { decision: 'rejected', comment: '' }
  const [first = ''] = reply.selected
  const comment = reply.selected.filter((text) => ![ONCE, ALWAYS, NO].includes(text)).join(' ')
  if (comment === '' && first === ONCE) return { decision: 'once', comment }
  if (comment === '' && first === ALWAYS) return { decision: 'always', comment }
  // Words of the user are no approval.
  return { decision: 'rejected', comment }
}
