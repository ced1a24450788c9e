// Handler of the tool AskUserQuestion: asks, or passes an answer on, and formats the result: answers as JSON, or the
// question as text for the chat. Loaded by the first call. No I/O of its own.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { ContentBlock } from '@scorpiox/mcp/definitions/tool'
import type { AnswerChannel, FormQuestion, QuestionReply } from '../../calls/question-form.js'
import { toResultMeta } from '../../text/result-data.js'
import { formatAnswersJson, splitSelection } from './answers-json.js'
import { toAskingCall } from './client-form.js'
import type { AnsweredResult, QuestionService, UnansweredResult } from './question-service.js'
import type { FollowUpResult } from './question-store.js'

type AskUserQuestionResult = { readonly questions: readonly FormQuestion[] } & (
  | UnansweredResult
  | (Omit<AnsweredResult, 'channel'> & {
      readonly channel: AnsweredResult['channel'] | 'text'
      /** New answers were passed on for a question that had been answered before. */
      readonly ignoredNewAnswers?: boolean
    })
)

export const askUserQuestionHandler = {
  run: runAskUserQuestion,
  format: formatAskUserQuestion,
  meta: (result: AskUserQuestionResult) => toResultMeta(toResultFields(result)),
}

async function runAskUserQuestion(
  { questions_json: input }: { readonly questions_json: unknown },
  call: CallContext,
  { questions: service }: { readonly questions: QuestionService },
): Promise<AskUserQuestionResult> {
  const request = service.parseRequest(input)
  const askingCall = toAskingCall(call)
  if (request.kind === 'ask') {
    const { questions } = request
    return { questions, ...(await service.ask(questions, askingCall)) }
  }
  const { id, answers } = request
  return toFollowUpResult(await service.answer(askingCall, id, answers), answers !== undefined)
}

/** The state of a question that was asked before. */
function toFollowUpResult({ row, wasAnsweredBefore }: FollowUpResult, hasAnswers: boolean): AskUserQuestionResult {
  const { questions, replies, surface, id } = row
  if (!replies) return { questions, channel: 'text', id, reasons: [`Question ${id} is still open.`] }
  const ignoredNewAnswers = wasAnsweredBefore && hasAnswers
  return { questions, channel: 'text', replies, surface: surface ?? 'call', id, ignoredNewAnswers }
}

interface AnswerFields {
  readonly question: string
  readonly outcome: QuestionReply['outcome'] | 'no_response'
  readonly selected: readonly string[]
  readonly comment?: string
}

const SURFACE_NAMES: Readonly<Record<AnswerChannel, string>> = {
  client: "in the client's form",
  page: 'on the console page',
  inbox: 'in the terminal inbox',
  call: 'in the chat',
  view: 'in the form in the chat',
}

const EARLIER_ANSWER_KEPT = 'The user had already answered it; this is the earlier answer, and the new one was ignored.'

function formatAskUserQuestion(result: AskUserQuestionResult): readonly ContentBlock[] {
  // The JSON is a content block of its own, so that programs can parse it.
  const texts = 'replies' in result ? formatAnswered(result) : [formatUnanswered(result)]
  return texts.map((text) => ({ type: 'text', text }))
}

function toResultFields(result: AskUserQuestionResult): object {
  const { questions, channel, id } = result
  const { replies = [], surface = null } = 'replies' in result ? result : {}
  return {
    answers: questions.map((question, index) => toAnswerFields(question, replies[index])),
    rung: channel,
    surface,
    id,
  }
}

type Answered = Extract<AskUserQuestionResult, { readonly replies: unknown }>
type Unanswered = Extract<AskUserQuestionResult, UnansweredResult>

function formatAnswered({ questions, replies, surface, id, ignoredNewAnswers }: Answered): readonly string[] {
  const verb = replies.some(({ outcome }) => outcome === 'answered') ? 'Answered' : 'Replied'
  const where = `${verb} ${SURFACE_NAMES[surface]}${id === undefined ? '' : ` (question ${id})`}.`
  const notes = [...describeMissing(replies), ...(ignoredNewAnswers ? [EARLIER_ANSWER_KEPT] : []), where]
  return [formatAnswersJson(questions, replies), notes.join(' ')]
}

/** The question as text that the model can show. */
function formatUnanswered({ questions, id, reasons }: Unanswered): string {
  return [
    `NOT ANSWERED (no_response): the user has not answered, and nothing was chosen for them. ${reasons.join(' ')}`.trim(),
    'Ask the user in the chat, then wait for their answer; do not choose for them:',
    '',
    ...questions.flatMap(formatQuestion),
    '',
    ...formatHowToAnswer(questions, id),
  ].join('\n')
}

function toAnswerFields(question: FormQuestion, reply: QuestionReply | undefined): AnswerFields {
  const { text } = question
  if (reply?.outcome !== 'answered') return { question: text, outcome: reply?.outcome ?? 'no_response', selected: [] }
  return { question: text, outcome: 'answered', ...splitSelection(question, reply) }
}

function describeMissing(replies: readonly QuestionReply[]): readonly string[] {
  const missing = replies.flatMap(({ outcome }, index) => (outcome === 'answered' ? [] : [{ outcome, index }]))
  if (missing.length === 0) return []
  const [first] = missing
  const isSame = missing.length === replies.length && missing.every(({ outcome }) => outcome === first?.outcome)
  const which = isSame
    ? `the user ${first?.outcome === 'cancelled' ? 'closed the form' : 'declined to answer'}`
    : missing.map(({ outcome, index }) => `question ${index + 1} (${outcome})`).join(', ')
  return [`NOT ANSWERED: ${which}. Nothing was chosen for the user; do not assume an answer.`]
}

function formatQuestion({ text, choices, multiple }: FormQuestion, index: number): readonly string[] {
  const how = multiple ? 'one or more' : 'one'
  return [
    `${index + 1}. ${text} (choose ${how}, or answer in your own words)`,
    ...choices.map(
      ({ label, description }, at) => `   ${at + 1}) ${label}${description === null ? '' : `: ${description}`}`,
    ),
  ]
}

const PLACEHOLDER = '…'

function formatHowToAnswer(questions: readonly FormQuestion[], id: number | undefined): readonly string[] {
  if (id === undefined) return ['Continue with what they say in the chat.']
  // A placeholder instead of an option, because models copy the example.
  const example = questions.map(({ multiple }) => (multiple ? [PLACEHOLDER, PLACEHOLDER] : PLACEHOLDER))
  return [
    `It is saved as question ${id}; the user can also answer it on the console page or in the terminal inbox. When they have answered in the chat, pass it on with AskUserQuestion:`,
    JSON.stringify({ id, answers: example }),
    `One entry for each question: an option or its number, a list where several may be chosen, the user's own words, or null if they do not want to answer. {"id":${id}} alone checks for an answer.`,
  ]
}
