// Parses an HTTP response of an MCP server: its SSE framing, its JSON-RPC envelope, and their defects. Used by the
// checks. Pure.

import { isJsonObject, type JsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import { ARMORIQ_SCANNER, type CheckDefect, describeProbe, failedDefect, quoteText } from './check-result.js'
import type { ProbeResponse, ProbeResult } from './http-probe.js'

export interface ParsedFrame {
  readonly defects: readonly CheckDefect[]
  /** The message of the response, if one was found in spite of defects; other checks use it. */
  readonly message: object | undefined
}

/**
 * ArmorIQ's documentation requires exactly one event: `event: message`, one `data: ` line with the whole JSON, an empty
 * line. Its clients read only the first `data: ` line, so any deviation loses the response.
 */
export function parseFrame({ headers, body, bodyEnd, status }: ProbeResponse): ParsedFrame {
  const defects = [...checkHead(headers['content-type'] ?? '', bodyEnd), ...checkEvents(body)]
  const message = findMessage(body)
  if (message === undefined)
    defects.push(failedDefect(`no JSON-RPC message was found in HTTP ${status} ${quoteText(body)}`, EVENT_FORMAT))
  return { defects, message }
}

const EVENT_FORMAT = 'Send `event: message`, a newline, `data: `, the JSON on one line, and two newlines.'

function checkHead(contentType: string, end: ProbeResponse['bodyEnd']): CheckDefect[] {
  const defects: CheckDefect[] = []
  if (!/^text\/event-stream\s*(;|$)/i.test(contentType)) {
    const observed = `the content type is ${contentType === '' ? 'missing' : quoteText(contentType)}`
    defects.push(failedDefect(observed, 'Answer with Content-Type: text/event-stream.'))
  }
  if (end === 'open') {
    defects.push(failedDefect('the stream stayed open after the response', 'End the response after the one event.'))
  }
  if (end === 'too large') defects.push(failedDefect('the response is larger than 4 MB', 'Return less.'))
  if (end === 'broken') {
    defects.push(
      failedDefect(
        'the connection was closed in the middle of the response',
        'Check the log of the server or of its proxy.',
      ),
    )
  }
  return defects
}

function checkEvents(body: string): CheckDefect[] {
  const text = body.replaceAll('\r\n', '\n')
  const events = text.split('\n\n').filter((event) => /^(event|data):/m.test(event))
  const [first = ''] = events
  const defects = events.length > 0 ? checkEvent(first) : [failedDefect('there is no event', EVENT_FORMAT)]
  if (events.length > 1) {
    const observed = `there are ${events.length} events, of which only one is read`
    defects.push(failedDefect(observed, 'Send only the response: no progress and no empty event before it.'))
  }
  if (!text.endsWith('\n\n')) {
    defects.push(failedDefect('the event does not end with an empty line', 'End it with two newlines.'))
  }
  return [...defects, ...checkHabits(body)]
}

function checkEvent(event: string): CheckDefect[] {
  const lines = event.split('\n')
  const data = lines.filter((line) => line.startsWith('data:'))
  const defects: CheckDefect[] = []
  const name = lines.find((line) => line.startsWith('event:'))
  if (name !== 'event: message') {
    const observed = name === undefined ? 'there is no `event: message` line' : `the event line is ${quoteText(name)}`
    defects.push(failedDefect(observed, 'Begin the event with `event: message`.'))
  }
  if (data.some((line) => !line.startsWith('data: '))) {
    defects.push(failedDefect('there is no space after `data:`', 'Write `data: ` with a space.'))
  }
  const strayLines = lines.filter((line) => line !== '' && !/^(event|data|id|retry)?:/.test(line))
  if (data.length + strayLines.length > 1) {
    const observed = `the JSON is spread over ${data.length + strayLines.length} lines`
    defects.push(failedDefect(observed, 'Print the JSON on one line, without indentation.'))
  } else if (data.length === 1 && !isJson((data[0] ?? '').slice('data:'.length))) {
    defects.push(
      failedDefect(`the data is not JSON: ${quoteText(data[0] ?? '')}`, 'Print the whole JSON on the data line.'),
    )
  }
  return defects
}

/** Deviations that ArmorIQ's documentation does not mention but its clients accept. */
function checkHabits(body: string): CheckDefect[] {
  const patterns: [string, RegExp][] = [
    ['lines end with CR LF', /\r\n/],
    ['there are comment lines', /^:/m],
    ['there are `id:` or `retry:` lines', /^(id|retry):/m],
  ]
  const fix = "ArmorIQ's clients accept it today, but its documentation does not mention it: omit it to be safe."
  return patterns
    .filter(([, pattern]) => pattern.test(body))
    .map(([observed]) => ({ severity: 'warning', seen: observed, fix }) as const)
}

function findMessage(body: string): object | undefined {
  const data = body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
  // In this order: no event at all, JSON that continues without `data:`, JSON over several data lines, JSON on one line.
  const candidates = [body, body.slice(body.indexOf('data:') + 'data:'.length), data.join('\n'), ...data]
  const objects = candidates.map(tryParseJson).filter((value) => typeof value === 'object' && value !== null)
  return objects.findLast((value) => 'result' in value || 'error' in value) ?? objects.at(-1)
}

function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined
}

export interface ParsedResponse {
  /** Defects of the SSE framing. */
  readonly frame: readonly CheckDefect[]
  /** Defects of the JSON-RPC envelope. */
  readonly envelope: readonly CheckDefect[]
  readonly result: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export function parseResponse(probed: ProbeResult, id: unknown): ParsedResponse {
  if (probed.kind === 'unanswered')
    return emptyResponse(`no response: ${probed.reason}`, suggestReachability(probed.reason))
  if (probed.status >= 300 && probed.status < 400) {
    const target = quoteText(probed.headers.location ?? '')
    return emptyResponse(
      `it redirects (HTTP ${probed.status}) to ${target}`,
      'Use the final address: clients do not follow redirects.',
    )
  }
  const { defects, message } = parseFrame(probed)
  if (!isJsonObject(message))
    return { frame: defects, ...failedEnvelope(`the response is ${describeProbe(probed)}`, RESPONSE_FORMAT) }
  const { result, error } = message
  return {
    frame: defects,
    envelope: checkEnvelope(message, probed.status, id),
    result: isJsonObject(result) ? result : undefined,
    error: isJsonObject(error) ? error : undefined,
  }
}

function suggestReachability(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'The host name does not resolve: correct the address, or its DNS record.'
  if (reason.includes('ECONNREFUSED'))
    return 'Nothing listens there: start the server, or correct the address and port.'
  return `Make the endpoint answer a POST within 5 seconds, the timeout of ${ARMORIQ_SCANNER}.`
}

const RESPONSE_FORMAT = 'Answer with one JSON-RPC message that has a result or an error.'

function checkEnvelope(message: JsonObject, status: number, id: unknown): CheckDefect[] {
  const defects: CheckDefect[] = []
  const fail = (seen: string, fix: string): void => void defects.push({ severity: 'failed', seen, fix })
  if (status !== 200)
    fail(`the status is HTTP ${status}`, "Answer with HTTP 200: ArmorIQ's agent reads no other response.")
  if (message.jsonrpc !== '2.0') fail('"jsonrpc" is not "2.0"', 'Put "jsonrpc": "2.0" into each response.')
  if (message.id !== id)
    fail(`the id is ${quoteText(String(message.id))}`, `Repeat the id of the request, here ${String(id)}.`)
  if (isJsonObject(message.result) === isJsonObject(message.error)) fail('there is no result', RESPONSE_FORMAT)
  return defects
}

function emptyResponse(seen: string, fix: string): ParsedResponse {
  return { frame: [], ...failedEnvelope(seen, fix) }
}

function failedEnvelope(seen: string, fix: string) {
  return { envelope: [{ severity: 'failed', seen, fix }], result: undefined, error: undefined } as const
}

/** Formats an error for use inside a sentence. */
export function formatErrorReply({ code, message }: JsonObject): string {
  return `error ${quoteText(String(code))} ${quoteText(String(message))}`
}
