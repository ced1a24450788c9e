// Asks the user with a form shown by the client: builds one form for all questions, shows it, and parses the reply. Also
// declares what asking needs of a call (AskingCall). Used by question-service; plans show a form of their own with it, and
// permissions use toAskingCall. Sends a request to the client; no other I/O.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import type { FormQuestion, QuestionChoice, QuestionReply } from '../../calls/question-form.js'
import { toSingleLine } from '../../text/format.js'
import { MAX_FREE_TEXT } from './parse-questions.js'

/** A caller that reports whether its response was written. */
export interface RespondingCall extends Caller {
  /** Calls the listener with whether the response was written to the client. */
  onResponseWritten(listener: (written: boolean) => void): void
}

export interface AskingCall extends RespondingCall {
  readonly signal: AbortSignal
  /** Name of the client, as sent by the client. */
  readonly client: string
  /** The client declared support for forms. */
  readonly supportsForms: boolean
  /** The client shows views of MCP Apps. */
  readonly supportsViews: boolean
  /** The client requested progress. */
  readonly wantsProgress: boolean
  reportWaiting(seconds: number): void
  /** Throws a Failure if the client does not answer the form. */
  askForm(form: ClientForm, options: AskFormOptions): Promise<FormReply>
}

export interface AskFormOptions {
  readonly timeoutMs: number
  /** Identifies the form when a modern client repeats the call with the answer. */
  readonly key?: string
  /** Receives a reply that arrives after the timeout. */
  readonly onLateReply: (reply: FormReply) => void
}

export type FormReply = (
  | { readonly action: 'accept'; readonly content: unknown }
  | { readonly action: 'decline' | 'cancel' }
) & {
  /** Milliseconds between form and reply, if known. */
  readonly afterMs?: number | undefined
}

const DAY_MS = 24 * 60 * 60 * 1000

export function toAskingCall(call: CallContext): AskingCall {
  const { user, session, client, clientAbilities, wantsProgress } = call
  return {
    user,
    session,
    get signal() {
      return call.signal
    },
    client,
    supportsForms: clientAbilities.form,
    supportsViews: clientAbilities.apps,
    wantsProgress,
    reportWaiting: (seconds) => call.progress(seconds, { message: `Waiting for the user to answer (${seconds} s)` }),
    async askForm(form, { timeoutMs, onLateReply, key = 'said' }) {
      let afterMs: number | undefined
      const { [key]: reply } = await call.ask(
        { [key]: { kind: 'form', ...form } },
        {
          timeoutMs,
          // On the modern revision no call waits, so the user may take a day.
          resumeWithinMs: DAY_MS,
          askOnce: true,
          onTiming: (times) => void (afterMs = times[key]),
          onLateAnswer: ({ [key]: late }) => late && onLateReply(late),
        },
      )
      if (!reply) throw new Failure('The client did not answer the form.')
      return { ...reply, afterMs }
    },
    onResponseWritten: call.onAnswerWritten,
  }
}

const MAX_TITLE = 80
/** Sorts after the numbered fields. */
const FREE_TEXT_FIELD = 'question_other'

export interface ClientForm {
  readonly message: string
  readonly schema: JsonObject
}

/**
 * One form for all questions of a call: a field per question and, with `allowFreeText`, one for free text. No field is
 * required, because the user may skip a question; an empty form is no answer. The message contains the full questions,
 * the fields only their titles. Some clients sort fields by name, so the names sort in the order of the questions.
 */
export function buildClientForm(questions: readonly FormQuestion[], allowFreeText = true): ClientForm {
  const fields = questions.map((question, index) => [
    fieldName(index, questions.length),
    buildField(question, index, questions.length),
  ])
  const freeText = {
    type: 'string',
    title: 'Your own answer',
    description: 'If no option fits, or to add something',
    maxLength: MAX_FREE_TEXT,
  }
  return {
    message: buildMessage(questions),
    schema: {
      type: 'object',
      properties: { ...Object.fromEntries(fields), ...(allowFreeText && { [FREE_TEXT_FIELD]: freeText }) },
    },
  }
}

/** Returns the replies in a submitted form; undefined if it is empty. */
export function parseClientForm(
  questions: readonly FormQuestion[],
  content: unknown,
): readonly QuestionReply[] | undefined {
  const fields = isJsonObject(content) ? content : {}
  const rawText = fields[FREE_TEXT_FIELD]
  const freeText = typeof rawText === 'string' ? rawText.trim() : ''
  const chosen = questions.map(({ choices }, index) => {
    const value = fields[fieldName(index, questions.length)]
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    return choices.map(({ label }) => label).filter((label) => values.includes(label))
  })
  if (freeText === '' && chosen.every(({ length }) => length === 0)) return undefined
  // Free text answers the questions without a choice; if all have one, it is a comment on the whole form.
  const isComment = chosen.every(({ length }) => length > 0)
  return chosen.map((labels) => {
    const selected = freeText !== '' && (isComment || labels.length === 0) ? [...labels, freeText] : labels
    return { outcome: selected.length > 0 ? 'answered' : 'declined', selected }
  })
}

function buildMessage(questions: readonly FormQuestion[]): string {
  const [first] = questions
  if (first && questions.length === 1) return first.text
  return questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')
}

/** Padded with zeros if there are ten questions, because names are compared as text. */
function fieldName(index: number, count: number): string {
  return `question_${String(index + 1).padStart(String(count).length, '0')}`
}

function buildField({ text, header, choices, multiple }: FormQuestion, index: number, count: number): JsonObject {
  const title =
    count === 1
      ? (header ?? (multiple ? 'Answers' : 'Answer'))
      : `${index + 1}. ${header ?? toSingleLine(text, MAX_TITLE)}`
  const described = { title, ...(multiple && { description: 'Several can be chosen' }) }
  if (multiple) return { type: 'array', ...described, items: buildOptions(choices, 'anyOf') }
  return { ...buildOptions(choices, 'oneOf'), ...described }
}

/** A plain enum if there are no descriptions: every client supports it. */
function buildOptions(choices: readonly QuestionChoice[], keyword: 'anyOf' | 'oneOf'): JsonObject {
  const labels = choices.map(({ label }) => label)
  if (choices.every(({ description }) => description === null)) return { type: 'string', enum: labels }
  const titled = choices.map(({ label, description }) => ({
    const: label,
    title: description === null ? label : `${label}: ${description}`,
  }))
  return keyword === 'oneOf' ? { type: 'string', oneOf: titled } : { anyOf: titled }
}

/** Programs without a user decline or cancel a form within milliseconds. */
const REFUSED_BY_PROGRAM_MS = 1000
/** A user needs longer to read and choose. Lower than the limit for refusals, so that a real choice is not dropped. */
const ACCEPTED_BY_PROGRAM_MS = 250

export type ShowFormResult =
  | { readonly reply: FormReply }
  | {
      readonly problem: string
      /** The client answered without a user. */
      readonly isAutomatic?: boolean
      /** The client did not answer in time, so a user may have seen the form. */
      readonly isTimeout?: boolean
    }

/**
 * Shows a form in the client. A refusal by the user counts as an answer. A client that cannot show the form, or fills
 * it in without a user, yields no answer, and the next channel is tried.
 */
export async function showForm(form: ClientForm, call: AskingCall, options: AskFormOptions): Promise<ShowFormResult> {
  if (!call.supportsForms) return { problem: 'The client does not support forms.' }
  const endsAt = performance.now() + options.timeoutMs
  try {
    const reply = await call.askForm(form, options)
    return isProgramReply(reply) ? { problem: describeProgramReply(reply), isAutomatic: true } : { reply }
  } catch (error) {
    if (error instanceof Failure) return { problem: error.message, isTimeout: performance.now() >= endsAt }
    throw error
  }
}

export type AskWithFormResult = { readonly replies: readonly QuestionReply[] } | { readonly problem: string }

export interface AskWithFormOptions {
  readonly timeoutMs: number
  readonly onLateReplies: (replies: readonly QuestionReply[]) => void
}

/** Asks all questions with one form. */
export async function askWithForm(
  questions: readonly FormQuestion[],
  call: AskingCall,
  { timeoutMs, onLateReplies }: AskWithFormOptions,
  show = showForm,
): Promise<AskWithFormResult> {
  const shown = await show(buildClientForm(questions, canSkipText(call.client)), call, {
    timeoutMs,
    onLateReply(lateReply) {
      // A client cancels a form that was withdrawn; this is not a reply of the user.
      const replies = lateReply.action === 'cancel' ? undefined : toReplies(questions, lateReply)
      if (replies) onLateReplies(replies)
    },
  })
  if ('problem' in shown) return shown
  const replies = toReplies(questions, shown.reply)
  return replies ? { replies } : { problem: 'The client returned an empty form.' }
}

/** In Codex, Enter does nothing in an empty text field, so a form that ends with one cannot be submitted. */
export function canSkipText(client: string): boolean {
  return !client.startsWith('codex')
}

function isProgramReply({ action, afterMs = Infinity }: FormReply): boolean {
  return afterMs < (action === 'accept' ? ACCEPTED_BY_PROGRAM_MS : REFUSED_BY_PROGRAM_MS)
}

function describeProgramReply({ action, afterMs = 0 }: FormReply): string {
  const did = action === 'accept' ? 'filled in' : action === 'decline' ? 'declined' : 'cancelled'
  return `The client ${did} the form without a user, after ${Math.round(afterMs)} ms.`
}

function toReplies(questions: readonly FormQuestion[], reply: FormReply): readonly QuestionReply[] | undefined {
  if (reply.action === 'accept') return parseClientForm(questions, reply.content)
  const outcome = reply.action === 'decline' ? 'declined' : 'cancelled'
  return questions.map(() => ({ outcome, selected: [] }))
}
