// How an answer is wrapped. The page wants exactly one event: `event: message`, one `data: ` line with the whole JSON,
// an empty line. Its clients read the first `data: ` line and nothing else, so every deviation loses the answer.

import { parseJson } from '../../lib/json.js'
import type { Answered } from '../../platform/probe.js'
import { failing, quote, type Defect } from './verdict.js'

export interface Frame {
  readonly defects: readonly Defect[]
  /** What the answer says, where it can be found at all: other tests go on with it. */
  readonly message: object | undefined
}

export function readFrame({ headers, body, end, status }: Answered): Frame {
  const defects = [...judgeHead(headers['content-type'] ?? '', end), ...judgeEvents(body)]
  const message = findMessage(body)
  if (message === undefined)
    defects.push(failing(`no JSON-RPC message was found in HTTP ${status} ${quote(body)}`, SEND_ONE))
  return { defects, message }
}

const SEND_ONE = 'Send `event: message`, a newline, `data: `, the JSON on one line, and two newlines.'

function judgeHead(contentType: string, end: Answered['end']): Defect[] {
  const defects: Defect[] = []
  if (!/^text\/event-stream\s*(;|$)/i.test(contentType)) {
    const seen = `the content type is ${contentType === '' ? 'missing' : quote(contentType)}`
    defects.push(failing(seen, 'Answer with Content-Type: text/event-stream.'))
  }
  if (end === 'open') {
    defects.push(failing('the stream stayed open behind the answer', 'End the response after the one event.'))
  }
  if (end === 'too large') defects.push(failing('the answer is larger than 4 MB', 'Return less.'))
  if (end === 'broken') {
    defects.push(
      failing('the connection was torn off inside the answer', 'See the log of the server, or of its proxy.'),
    )
  }
  return defects
}

function judgeEvents(body: string): Defect[] {
  const text = body.replaceAll('\r\n', '\n')
  const events = text.split('\n\n').filter((event) => /^(event|data):/m.test(event))
  const [first = ''] = events
  const defects = events.length > 0 ? judgeEvent(first) : [failing('there is no event', SEND_ONE)]
  if (events.length > 1) {
    const seen = `there are ${events.length} events where one is read`
    defects.push(failing(seen, 'Send the answer only: no progress, no empty event to begin with.'))
  }
  if (!text.endsWith('\n\n')) {
    defects.push(failing('no empty line ends the event', 'End it with two newlines.'))
  }
  return [...defects, ...judgeHabits(body)]
}

function judgeEvent(event: string): Defect[] {
  const lines = event.split('\n')
  const data = lines.filter((line) => line.startsWith('data:'))
  const defects: Defect[] = []
  const name = lines.find((line) => line.startsWith('event:'))
  if (name !== 'event: message') {
    const seen = name === undefined ? 'there is no `event: message` line' : `the event line is ${quote(name)}`
    defects.push(failing(seen, 'Begin the event with `event: message`.'))
  }
  if (data.some((line) => !line.startsWith('data: '))) {
    defects.push(failing('there is no space after `data:`', 'Write `data: ` with a space.'))
  }
  const strays = lines.filter((line) => line !== '' && !/^(event|data|id|retry)?:/.test(line))
  if (data.length + strays.length > 1) {
    const seen = `the JSON is spread over ${data.length + strays.length} lines`
    defects.push(failing(seen, 'Print the JSON on one line, without indentation.'))
  } else if (data.length === 1 && !isJson((data[0] ?? '').slice('data:'.length))) {
    defects.push(failing(`the data is not JSON: ${quote(data[0] ?? '')}`, 'Print the whole JSON on the data line.'))
  }
  return defects
}

/** What ArmorIQ's page does not show but its clients were seen to accept. */
function judgeHabits(body: string): Defect[] {
  const habits: [string, RegExp][] = [
    ['lines end with CR LF', /\r\n/],
    ['there are comment lines', /^:/m],
    ['there are `id:` or `retry:` lines', /^(id|retry):/m],
  ]
  const fix = "ArmorIQ's clients accept it today, its page does not show it: leave it out to be sure."
  return habits
    .filter(([, pattern]) => pattern.test(body))
    .map(([seen]) => ({ severity: 'warning', seen, fix }) as const)
}

function findMessage(body: string): object | undefined {
  const data = body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
  // No event at all, JSON that goes on without `data:`, JSON over several data lines, JSON on one of them.
  const candidates = [body, body.slice(body.indexOf('data:') + 'data:'.length), data.join('\n'), ...data]
  const objects = candidates.map(parseJson).filter((value) => typeof value === 'object' && value !== null)
  return objects.findLast((value) => 'result' in value || 'error' in value) ?? objects.at(-1)
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}
