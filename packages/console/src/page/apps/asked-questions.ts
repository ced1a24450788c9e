// Reads the questions from the arguments of AskUserQuestion as a model writes them. The server reads them again and decides;
// this is what is shown before it has answered. Used by question.tsx. Pure.

import type { FormQuestion } from '@scorpiox/server/calls/question-form'
import { type Fields, isFields, textOf } from './app-host.js'
import type { ToolCallResult } from './host-context.js'

export function readAskedQuestions(input: Fields): readonly FormQuestion[] {
  const form = readForm(input)
  const list = isFields(form) ? (form.questions ?? form) : form
  const entries: readonly unknown[] = Array.isArray(list) ? list : [list]
  return entries.filter(isFields).flatMap(readQuestion)
}

/** The id of a question that was asked before: passed on by the model, or in the result. */
export function readAskedId(input: Fields, result: ToolCallResult | undefined): number | undefined {
  const form = readForm(input)
  const id = result?.data.id ?? (isFields(form) ? form.id : undefined)
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
}

function readForm({ questions_json: form }: Fields): unknown {
  if (typeof form !== 'string') return form
  try {
    return JSON.parse(form)
  } catch {
    return undefined
  }
}

function readQuestion({ text, question, options, header, multiSelect }: Fields): readonly FormQuestion[] {
  const shown = textOf(text ?? question).trim()
  if (shown === '') return []
  const entries: readonly unknown[] = Array.isArray(options) ? options : []
  const choices = entries.map((entry) => ({
    label: textOf(isFields(entry) ? entry.label : entry).trim(),
    description: null,
  }))
  return [{ text: shown, header: typeof header === 'string' ? header : null, choices, multiple: multiSelect === true }]
}
