import { answersJson, selection } from '../../services/questions/answers-json.js'
import type { Later } from '../../services/questions/kept-questions.js'
import type { Asked, Heard } from '../../services/questions/questions.js'
import type { Question, Reply, Surface } from '../../store/state/question-rows.js'
import type { Block } from '../tool.js'

export interface Said {
  readonly answers: readonly AnswerFields[]
  readonly rung: Asked['rung']
  readonly surface: Surface | null
  readonly id?: number
  readonly words: readonly Block[]
}

interface AnswerFields {
  readonly question: string
  readonly outcome: Reply['outcome'] | 'no_response'
  readonly selected: readonly string[]
  readonly comment?: string
}

const SURFACE_NAMES: Readonly<Record<Surface, string>> = {
  client: 'in a form of the client',
  page: 'on the console page',
  inbox: 'in the terminal inbox',
  call: 'in the chat',
}

export function askedSaid(questions: readonly Question[], result: Asked): Said {
  return 'replies' in result
    ? answeredResult(questions, result)
    : unansweredResult(questions, result.id, result.reasons)
}

/** The state of a question that was asked before. */
export function laterSaid({ row, before }: Later, hasAnswers: boolean): Said {
  const { questions, replies, surface, id } = row
  if (!replies) return unansweredResult(questions, id, [`Question ${id} is still open.`])
  return answeredResult(
    questions,
    { rung: 'text', replies, surface: surface ?? 'call', id },
    before && hasAnswers ? EARLIER_ANSWER_KEPT : '',
  )
}

const EARLIER_ANSWER_KEPT = 'The user had already answered it; this is the earlier answer, and the new one was ignored.'

function answeredResult(
  questions: readonly Question[],
  answered: Omit<Heard, 'rung'> & Pick<Said, 'rung'>,
  note = '',
): Said {
  const { replies, rung, surface, id } = answered
  const verb = replies.some(({ outcome }) => outcome === 'answered') ? 'Answered' : 'Replied'
  const where = `${verb} ${SURFACE_NAMES[surface]}${id === undefined ? '' : ` (question ${id})`}.`
  const notes = [...describeMissing(replies), ...(note === '' ? [] : [note]), where]
  return {
    answers: questions.map((question, index) => toAnswerFields(question, replies[index])),
    rung,
    surface,
    ...(id !== undefined && { id }),
    // The JSON is a content block of its own, so that programs can parse it.
    words: [answersJson(questions, replies), notes.join(' ')].map((text) => ({ type: 'text', text })),
  }
}

/** Unanswered: the question as text that the model can show. */
function unansweredResult(questions: readonly Question[], id: number | undefined, reasons: readonly string[]): Said {
  const text = [
    `NOT ANSWERED (no_response): the user has not answered, and nothing was chosen for them. ${reasons.join(' ')}`.trim(),
    'Ask the user in the chat, then wait for their answer; do not choose for them:',
    '',
    ...questions.flatMap(formatQuestion),
    '',
    ...formatHowToAnswer(questions, id),
  ]
  return {
    answers: questions.map((question) => toAnswerFields(question, undefined)),
    rung: 'text',
    surface: null,
    ...(id !== undefined && { id }),
    words: [{ type: 'text', text: text.join('\n') }],
  }
}

function toAnswerFields(question: Question, reply: Reply | undefined): AnswerFields {
  const { text } = question
  if (reply?.outcome !== 'answered') return { question: text, outcome: reply?.outcome ?? 'no_response', selected: [] }
  return { question: text, outcome: 'answered', ...selection(question, reply) }
}

function describeMissing(replies: readonly Reply[]): readonly string[] {
  const missing = replies.flatMap(({ outcome }, index) => (outcome === 'answered' ? [] : [{ outcome, index }]))
  if (missing.length === 0) return []
  const [first] = missing
  const isSame = missing.length === replies.length && missing.every(({ outcome }) => outcome === first?.outcome)
  const which = isSame
    ? `the user ${first?.outcome === 'cancelled' ? 'closed the form' : 'declined to answer'}`
    : missing.map(({ outcome, index }) => `question ${index + 1} (${outcome})`).join(', ')
  return [`NOT ANSWERED: ${which}. Nothing was chosen for the user; do not assume an answer.`]
}

function formatQuestion({ text, choices, multiple }: Question, index: number): readonly string[] {
  const how = multiple ? 'one or more' : 'one'
  return [
    `${index + 1}. ${text} (choose ${how}, or say it in your own words)`,
    ...choices.map(
      ({ label, description }, at) => `   ${at + 1}) ${label}${description === null ? '' : `: ${description}`}`,
    ),
  ]
}

const PLACEHOLDER = '…'

function formatHowToAnswer(questions: readonly Question[], id: number | undefined): readonly string[] {
  if (id === undefined) return ['Go on with what they say in the chat.']
  // A placeholder instead of an option, because models copy the example.
  const example = questions.map(({ multiple }) => (multiple ? [PLACEHOLDER, PLACEHOLDER] : PLACEHOLDER))
  return [
    `It is saved as question ${id}; the user can also answer it on the console page or in the terminal inbox. When they have answered in the chat, pass it on with AskUserQuestion:`,
    JSON.stringify({ id, answers: example }),
    `One entry for each question: an option or its number, a list where several may be chosen, the user's own words, or null if they do not want to answer. {"id":${id}} alone checks for an answer.`,
  ]
}
