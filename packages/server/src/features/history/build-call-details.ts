// Builds what is kept of a call: its arguments and the content of its answer, bounded, and without the passwords that
// the user entered and what looks like a secret. Used by call-recorder.ts after the call was answered, because it parses
// the whole answer. Pure.

import type { EndedCall } from '@scorpiox/mcp/server/call-log'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { toSingleLine } from '../../text/format.js'
import { redactWhole } from '../../text/secret-redactor.js'
import type { TokenRedactor } from './redact-tokens.js'
import type { CallBlock, RecordedCall, CallView } from '../../calls/recorded-call.js'

/** Characters of the name of a tool, of the summary of its input and of the first line of an error. */
const MAX_LINE = 120
const MAX_ERROR = 240
const MAX_INPUT = 64 * 1024
/** What each text of the arguments counts more, so that not too many are searched for secrets. */
const TEXT_CHARACTERS = 16
/** Of all texts of a result. */
const MAX_TEXT = 128 * 1024
/** Base64 characters of all images of a result. */
const MAX_IMAGES = 1024 * 1024
const MAX_BLOCKS = 50
const MAX_NAME = 200
/** A longer answer is not parsed, because that would block the process. */
const MAX_ANSWER = 16 * 1024 * 1024

export interface CallSource {
  readonly server: string
  readonly project: string
  /** What must not be kept. */
  readonly secrets: readonly Buffer[]
  /** Replaces what looks like a secret. */
  readonly redactTokens: TokenRedactor
}

export function buildCallDetails({ summary, call }: EndedCall, source: CallSource): RecordedCall {
  const view = buildCallView(summary, source)
  const blocks = buildBlocks(call.answer, source)
  return {
    call: {
      ...view,
      about: isCut(summary) ? (summarizeInput(call.input, source) ?? view.about) : view.about,
      error: view.error === null ? null : (findFirstLine(blocks) ?? view.error),
    },
    ...buildInput(call.input, source),
    blocks,
  }
}

/** The arguments of a call that runs. */
export function buildRunningDetails(
  { summary, input }: { readonly summary: EndedCall['summary']; readonly input: unknown },
  source: CallSource,
): RecordedCall {
  const view = buildCallView(summary, source)
  const about = isCut(summary) ? (summarizeInput(input, source) ?? view.about) : view.about
  return { call: { ...view, about }, ...buildInput(input, source), blocks: [] }
}

export function buildCallView(
  { id, tool, about, error, client, session, ...rest }: EndedCall['summary'],
  source: CallSource,
): CallView {
  const { server, project } = source
  return {
    ...rest,
    // Of equal length, so that their order as texts is that of the calls.
    id: `${server}.${String(id).padStart(8, '0')}`,
    server,
    project,
    session,
    client: toSingleLine(client, MAX_NAME),
    tool: toSingleLine(tool, MAX_LINE),
    about: redactLine(dropCutWord(about, MAX_LINE), source),
    error: error === null ? null : redactLine(dropCutWord(error, MAX_ERROR), source, MAX_ERROR),
  }
}

/** What the log of calls has cut may end with a part of a secret. */
function dropCutWord(text: string, length: number): string {
  return text.length < length ? text : `${text.slice(0, Math.max(0, text.lastIndexOf(' ', length)))} …`
}

function isCut({ about }: EndedCall['summary']): boolean {
  return about.length >= MAX_LINE
}

/** Its texts and flags, as in the log of calls; there they are cut. */
function summarizeInput(input: unknown, source: CallSource): string | undefined {
  if (!isJsonObject(input)) return undefined
  let text = ''
  for (const name in input) {
    const value = input[name]
    if (typeof value === 'string') text += ` ${redactPart(value, MAX_LINE, source).kept}`
    else if (typeof value === 'number' || typeof value === 'boolean') text += ` ${name}=${value}`
    if (text.length > MAX_LINE) break
  }
  return redactLine(text, source)
}

/** Of the last text of a result; undefined if there is none. */
function findFirstLine(blocks: readonly CallBlock[]): string | undefined {
  const text = blocks.findLast((block) => block.type === 'text')?.text ?? ''
  const [, line] = /^\s*(\S[^\n]*)/.exec(text) ?? []
  return line === undefined ? undefined : toSingleLine(line, MAX_ERROR)
}

export function redactLine(text: string, source: CallSource, maxLength = MAX_LINE): string {
  return toSingleLine(redact(text, source), maxLength)
}

function buildInput(input: unknown, source: CallSource): Pick<RecordedCall, 'input' | 'inputOmitted'> {
  let omitted = 0
  let left = MAX_INPUT
  // Long texts are cut before they are copied.
  const shorten = (_: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value
    if (left <= 0) {
      omitted += value.length
      return ''
    }
    const text = redactPart(value, left, source)
    left -= value.length + TEXT_CHARACTERS
    omitted += text.omitted + Number(text.isRedacted)
    return text.kept
  }
  const text = JSON.stringify(input ?? {}, shorten, 2)
  const { kept, omitted: cutOff, isRedacted } = redactPart(text, 2 * MAX_INPUT, source)
  return { input: kept, inputOmitted: omitted + cutOff + Number(isRedacted) }
}

function buildBlocks(answer: string | undefined, source: CallSource): readonly CallBlock[] {
  if (answer === undefined) return []
  if (answer.length > MAX_ANSWER) return [{ type: 'other', name: `${answer.length} characters, too many to be kept` }]
  const message = tryParseJson(answer)
  if (!isJsonObject(message)) return []
  const { result, error } = message
  if (isJsonObject(error) && typeof error.message === 'string') return [toTextBlock(error.message, MAX_TEXT, source)]
  if (!isJsonObject(result)) return []
  if (!Array.isArray(result.content)) return [{ type: 'other', name: describeResult(result) }]
  const limits = { text: MAX_TEXT, images: MAX_IMAGES }
  const blocks = result.content.slice(0, MAX_BLOCKS).map((block: unknown) => buildBlock(block, limits, source))
  const more = result.content.length - blocks.length
  return more > 0 ? [...blocks, { type: 'other', name: `${more} more blocks` }] : blocks
}

/** A result that is not complete: the client has to ask again, or answers first. */
function describeResult({ resultType, task }: { readonly [key: string]: unknown }): string {
  if (typeof resultType === 'string') return resultType.slice(0, MAX_NAME)
  return isJsonObject(task) ? 'task' : 'result'
}

function buildBlock(block: unknown, limits: { text: number; images: number }, source: CallSource): CallBlock {
  if (!isJsonObject(block)) return { type: 'other', name: typeof block }
  const { type, text, data, mimeType } = block
  if (type === 'text' && typeof text === 'string') {
    const built = toTextBlock(text, limits.text, source)
    limits.text -= built.text.length
    return built
  }
  if (type === 'image' && typeof data === 'string') {
    const isKept = data.length <= limits.images
    if (isKept) limits.images -= data.length
    const bytes = Math.floor((data.length * 3) / 4)
    return { type, mimeType: toSingleLine(String(mimeType), MAX_LINE), bytes, data: isKept ? data : null }
  }
  const { uri } = isJsonObject(block.resource) ? block.resource : block
  const name = typeof uri === 'string' ? `${String(type)} ${uri}` : String(type)
  return { type: 'other', name: toSingleLine(redact(name, source), MAX_NAME) }
}

function toTextBlock(text: string, maxLength: number, source: CallSource) {
  const { kept, omitted } = redactPart(text, Math.max(0, maxLength), source)
  return { type: 'text', text: kept, omitted } as const
}

/** Characters of a secret at the end of what is kept that are recognized together with what follows. */
const MARGIN = 4096

/** The beginning of a text: only that is searched for secrets, because the text may be very long. */
function redactPart(text: string, maxLength: number, source: CallSource) {
  const part = text.length <= maxLength + MARGIN ? text : cut(text, maxLength + MARGIN)
  const shown = redact(part, source)
  // What was replaced is shorter now, and must not make room for the margin, where a secret may be cut.
  const kept = cut(shown, part === text ? maxLength : Math.max(0, Math.min(maxLength, shown.length - MARGIN)))
  return { kept, omitted: text.length - part.length + shown.length - kept.length, isRedacted: shown !== part }
}

/** Does not split a character. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
}

function redact(text: string, { secrets, redactTokens }: CallSource): string {
  return redactTokens(secrets.length === 0 ? text : redactWhole(Buffer.from(text), secrets).toString())
}
