// Answers as JSON: parses those that a model passes on, and formats the documented form of the result. A model names
// options by name or number, gives lists of them, free text, or null for a question the user declined. Ambiguous input is
// not guessed. Used by the handler, question-store and answer-question. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import { isJsonObject, stringifyWellFormed } from '@scorpiox/mcp/json/json'
import type { FormQuestion, QuestionReply } from '../../calls/question-form.js'
import { foldForSearch } from '../../text/normalize-text.js'

const DECLINED: QuestionReply = { outcome: 'declined', selected: [] }

export function parseAnswers(questions: readonly FormQuestion[], answers: unknown): readonly QuestionReply[] {
  const list = Array.isArray(answers) && !isListForOneQuestion(questions, answers) ? answers : [answers]
  const named = list.length > 0 && list.every((each) => isJsonObject(each) && each.question !== undefined)
  const inOrder = named ? orderByQuestion(questions, list) : list
  if (inOrder.length !== questions.length) {
    throw new Failure(
      `"answers" must have one entry for each of the ${questions.length} question(s), in their order; it has ${inOrder.length}. null stands for one that the user did not want to answer.`,
    )
  }
  return questions.map((question, index) => parseReply(question, inOrder[index], index + 1))
}

/** ["A","B"] for a single question with several choices. */
function isListForOneQuestion(questions: readonly FormQuestion[], answers: readonly unknown[]): boolean {
  return (
    questions.length === 1 && answers.length > 1 && !answers.some((each) => isJsonObject(each) && 'question' in each)
  )
}

function orderByQuestion(questions: readonly FormQuestion[], list: readonly unknown[]): readonly unknown[] {
  const found = new Map<number, unknown>()
  for (const each of list) {
    const name = isJsonObject(each) ? each.question : undefined
    const index = indexOf(questions, name)
    if (index === -1) throw new Failure(`There is no question ${JSON.stringify(name)?.slice(0, 100)} in this form.`)
    if (found.has(index)) throw new Failure(`Question ${index + 1} has two answers.`)
    found.set(index, each)
  }
  const missing = questions.findIndex((_, index) => !found.has(index))
  if (missing === -1) return questions.map((_, index) => found.get(index))
  throw new Failure(`Question ${missing + 1} has no answer: give null if the user did not want to answer it.`)
}

function indexOf(questions: readonly FormQuestion[], name: unknown): number {
  const byText = questions.findIndex(({ text }) => text === String(name).trim())
  return byText === -1 && /^\d{1,3}$/.test(String(name)) && Number(name) <= questions.length ? Number(name) - 1 : byText
}

function parseReply(question: FormQuestion, input: unknown, number: number): QuestionReply {
  const value = isJsonObject(input) ? answerValue(input) : input
  if (value === null || value === undefined) return DECLINED
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (values.length === 0) return DECLINED
  const selected = values.flatMap((each) => {
    if (each === '…')
      throw new Failure(`Question ${number} still has the … of the example: put what the user said there.`)
    if (typeof each === 'string' || typeof each === 'number') return matchChoices(question, String(each))
    throw new Failure(`The answer to question ${number} must be an option, its number, a list of them, or null.`)
  })
  return { outcome: 'answered', selected: [...new Set(selected)] }
}

function answerValue({ selected, answer, outcome }: { readonly [key: string]: unknown }): unknown {
  return outcome === undefined || outcome === 'answered' ? (selected ?? answer) : null
}

function matchChoices(question: FormQuestion, text: string): readonly string[] {
  const whole = matchChoice(question, text)
  if (whole !== undefined) return [whole]
  // "1, 3" for a question with several choices.
  const parts = question.multiple ? text.split(',').map((part) => matchChoice(question, part)) : []
  return parts.length > 1 && parts.every((part) => part !== undefined) ? parts : [text.trim()]
}

function matchChoice({ choices }: FormQuestion, text: string): string | undefined {
  const wanted = text.trim()
  const exact = choices.find(({ label }) => label === wanted)
  if (exact) return exact.label
  const similar = choices.filter(({ label }) => foldForSearch(label) === foldForSearch(wanted))
  if (similar.length === 1) return similar[0]?.label
  // If options are numbers themselves, a number could be a label or a position.
  if (!/^\d{1,2}$/.test(wanted) || choices.some(({ label }) => /^\d+$/.test(label))) return undefined
  return choices[Number(wanted) - 1]?.label
}

export function formatAnswersJson(questions: readonly FormQuestion[], replies: readonly QuestionReply[]): string {
  return stringifyWellFormed({ answers: questions.map((question, index) => toAnswer(question, replies[index])) })
}

function toAnswer(question: FormQuestion, reply: QuestionReply | undefined): object {
  const { text } = question
  // A missing answer must not look like an answer.
  if (reply?.outcome !== 'answered') return { question: text, selected: null, outcome: reply?.outcome ?? 'no_response' }
  const { selected, comment } = splitSelection(question, reply)
  return { question: text, selected: question.multiple ? selected : selected[0], ...(comment && { comment }) }
}

/** Free text is the answer if no option was chosen, and otherwise a comment. */
export function splitSelection(
  { choices }: FormQuestion,
  reply: QuestionReply,
): { selected: readonly string[]; comment?: string } {
  const isChoice = (text: string): boolean => choices.some(({ label }) => label === text)
  const selected = reply.selected.filter(isChoice)
  if (selected.length === 0) return { selected: reply.selected }
  const comment = reply.selected.find((text) => !isChoice(text))
  return { selected, ...(comment !== undefined && { comment }) }
}
