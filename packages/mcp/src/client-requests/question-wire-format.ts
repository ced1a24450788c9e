// Converts questions to the request format of each revision, and validates the client's answers, for ask-client.ts.
// Pure.

import type {
  ClientAbilities,
  ClientQuestion,
  ClientQuestions,
  SamplingMessage,
  SamplingRequest,
} from '../definitions/call-context.js'
import { Failure } from '../errors.js'
import type { SchemaCompiler } from '../json-schema/lazy-compile.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import type { WireRequest } from '../jsonrpc/message.js'
import { MODERN_REVISION, type Revision } from '../revisions/revision.js'
import { addStringTypes, downgradeFormSchema, upgradeFormContent } from './form-schema.js'

/** Throws a Failure if the client did not declare a capability that a question needs. */
export function requireAbilities(questions: ClientQuestions, abilities: ClientAbilities): void {
  for (const { kind } of Object.values(questions)) {
    if (!abilities[kind]) throw new Failure(`This client does not support ${KIND_NAMES[kind]}.`)
  }
}

const KIND_NAMES = {
  form: 'forms (elicitation)',
  url: 'links (elicitation)',
  sample: 'sampling',
  roots: 'roots',
} as const

export function toWireRequest(question: ClientQuestion, revision: Revision, model: string): WireRequest {
  if (question.kind === 'form') {
    return { method: 'elicitation/create', params: formParams(question.message, question.schema, revision) }
  }
  if (question.kind === 'url') {
    return { method: 'elicitation/create', params: urlParams(question.message, question.url, revision) }
  }
  if (question.kind === 'roots') return { method: 'roots/list', params: {} }
  return { method: 'sampling/createMessage', params: samplingParams(question, model) }
}

function formParams(message: string, schema: JsonObject, revision: Revision): JsonObject {
  const form = addStringTypes(schema)
  if (revision < '2025-11-25') return { message, requestedSchema: downgradeFormSchema(form) }
  return { mode: 'form', message, requestedSchema: form }
}

function urlParams(message: string, url: string, revision: Revision): JsonObject {
  const params = { mode: 'url', message, url }
  return revision === MODERN_REVISION ? params : { ...params, elicitationId: crypto.randomUUID() }
}

function samplingParams(question: SamplingRequest, model: string): JsonObject {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences } = question
  const modelPreferences = question.modelPreferences ?? (model === '' ? undefined : { hints: [{ name: model }] })
  return {
    messages: messages.map(toWireMessage),
    maxTokens,
    systemPrompt,
    temperature,
    stopSequences,
    modelPreferences,
  }
}

function toWireMessage({ role, content }: SamplingMessage): JsonObject {
  return { role, content: typeof content === 'string' ? { type: 'text', text: content } : content }
}

/**
 * Converts an answer from the revision's format, and from known deviations of clients, to the format of the question.
 */
export function normalizeAnswer(question: ClientQuestion, answer: unknown, revision: Revision): unknown {
  if (question.kind !== 'form' || !isJsonObject(answer) || !isJsonObject(answer.content)) return answer
  const content = removeBlanks(question.schema, answer.content)
  return { ...answer, content: revision < '2025-11-25' ? upgradeFormContent(question.schema, content) : content }
}

/** Some clients send an untouched field as null, or as an empty choice. */
function removeBlanks({ properties }: JsonObject, content: JsonObject): JsonObject {
  const isChoice = (name: string): boolean => {
    const property = isJsonObject(properties) ? properties[name] : undefined
    return isJsonObject(property) && (Array.isArray(property.enum) || Array.isArray(property.oneOf))
  }
  const isBlank = (name: string, value: unknown): boolean => value === null || (value === '' && isChoice(name))
  return Object.fromEntries(Object.entries(content).filter(([name, value]) => !isBlank(name, value)))
}

/** Returns what is wrong with an answer; undefined if it can be used. */
export function findAnswerProblem(
  question: ClientQuestion,
  answer: unknown,
  compile: SchemaCompiler,
): string | undefined {
  if (!isJsonObject(answer)) return 'it is not an object'
  if (question.kind === 'roots') return isRoots(answer.roots) ? undefined : "its 'roots' are not a list of addresses"
  if (question.kind === 'sample') return findSamplingProblem(answer)
  const { action } = answer
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return "its 'action' is unknown"
  if (question.kind === 'url' || action !== 'accept') return undefined
  return compile(question.schema)(answer.content ?? {})?.[0]?.message
}

function isRoots(roots: unknown): boolean {
  return Array.isArray(roots) && roots.every((root) => isJsonObject(root) && typeof root.uri === 'string')
}

function findSamplingProblem({ role, content, model }: JsonObject): string | undefined {
  if (role !== 'user' && role !== 'assistant') return "its 'role' is unknown"
  if (!isJsonObject(content) && !Array.isArray(content)) return "it has no 'content'"
  return typeof model === 'string' ? undefined : "it does not name its 'model'"
}

/** Completes a valid answer: an accepted form has its content, a sampling result its text. */
export function toClientAnswer(question: ClientQuestion, answer: unknown): unknown {
  if (question.kind === 'sample' && isJsonObject(answer)) return { ...answer, text: joinText(answer.content) }
  if (question.kind !== 'form' || !isJsonObject(answer) || answer.action !== 'accept') return answer
  return { ...answer, content: answer.content ?? {} }
}

function joinText(content: unknown): string {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.map((block) => (isJsonObject(block) && typeof block.text === 'string' ? block.text : '')).join('')
}
