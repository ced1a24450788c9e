// Parses the SSE framing of a response. ArmorIQ's documentation requires exactly one event: `event: message`, one `data: `
// line with the whole JSON, an empty line. Its clients read only the first `data: ` line, so any deviation loses the response.

import { parseJson } from '../../lib/json.js'
import type { Answered } from '../../platform/probe.js'
import { failing, quote, type Defect } from './verdict.js'

export interface Frame {
  readonly defects: readonly Defect[]
  /** The message of the response, if one was found in spite of defects; other checks use it. */
  readonly message: object | undefined
}

export function readFrame({ headers, body, end, status }: Answered): Frame {
  const defects = [...checkHead(headers['content-type'] ?? '', end), ...checkEvents(body)]
  const message = findMessage(body)
  if (message === undefined)
    defects.push(failing(`no JSON-RPC message was found in HTTP ${status} ${quote(body)}`, EVENT_FORMAT))
  return { defects, message }
}

const EVENT_FORMAT = 'Send `event: message`, a newline, `data: `, the JSON on one line, and two newlines.'

function checkHead(contentType: string, end: Answered['end']): Defect[] {
  const defects: Defect[] = []
  if (!/^text\/event-stream\s*(;|$)/i.test(contentType)) {
    const observed = `the content type is ${contentType === '' ? 'missing' : quote(contentType)}`
    defects.push(failing(observed, 'Answer with Content-Type: text/event-stream.'))
  }
  if (end === 'open') {
    defects.push(failing('the stream stayed open after the response', 'End the response after the one event.'))
  }
  if (end === 'too large') defects.push(failing('the response is larger than 4 MB', 'Return less.'))
  if (end === 'broken') {
    defects.push(
      failing(
        'the connection was closed in the middle of the response',
        'Check the log of the server or of its proxy.',
      ),
    )
  }
  return defects
}

function checkEvents(body: string): Defect[] {
  const text = body.replaceAll('\r\n', '\n')
  const events = text.split('\n\n').filter((event) => /^(event|data):/m.test(event))
  const [first = ''] = events
  const defects = events.length > 0 ? checkEvent(first) : [failing('there is no event', EVENT_FORMAT)]
  if (events.length > 1) {
    const observed = `there are ${events.length} events, of which only one is read`
    defects.push(failing(observed, 'Send only the response: no progress and no empty event before it.'))
  }
  if (!text.endsWith('\n\n')) {
    defects.push(failing('the event does not end with an empty line', 'End it with two newlines.'))
  }
  return [...defects, ...checkHabits(body)]
}

function checkEvent(event: string): Defect[] {
  const lines = event.split('\n')
  const data = lines.filter((line) => line.startsWith('data:'))
  const defects: Defect[] = []
  const name = lines.find((line) => line.startsWith('event:'))
  if (name !== 'event: message') {
    const observed = name === undefined ? 'there is no `event: message` line' : `the event line is ${quote(name)}`
    defects.push(failing(observed, 'Begin the event with `event: message`.'))
  }
  if (data.some((line) => !line.startsWith('data: '))) {
    defects.push(failing('there is no space after `data:`', 'Write `data: ` with a space.'))
  }
  const strayLines = lines.filter((line) => line !== '' && !/^(event|data|id|retry)?:/.test(line))
  if (data.length + strayLines.length > 1) {
    const observed = `the JSON is spread over ${data.length + strayLines.length} lines`
    defects.push(failing(observed, 'Print the JSON on one line, without indentation.'))
  } else if (data.length === 1 && !isJson((data[0] ?? '').slice('data:'.length))) {
    defects.push(failing(`the data is not JSON: ${quote(data[0] ?? '')}`, 'Print the whole JSON on the data line.'))
  }
  return defects
}

/** Deviations that ArmorIQ's documentation does not mention but its clients accept. */
function checkHabits(body: string): Defect[] {
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
  const objects = candidates.map(parseJson).filter((value) => typeof value === 'object' && value !== null)
  return objects.findLast((value) => 'result' in value || 'error' in value) ?? objects.at(-1)
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}
