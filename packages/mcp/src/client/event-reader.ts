// Reads server-sent events from the chunks of a response, with a limit for each event. Used by http-transport.ts. Pure.

import { StringDecoder } from 'node:string_decoder'

import { Failure } from '../errors.js'

export interface ServerSentEvent {
  readonly type: string
  readonly data: string
  /** undefined if the event has none. */
  readonly id: string | undefined
  /** How long to wait before reconnecting, in milliseconds. */
  readonly retryMs: number | undefined
}

export async function* readEvents(
  chunks: AsyncIterable<Buffer>,
  maxCharacters: number,
): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let lastBreak = ''
  let fields: (readonly [string, string])[] = []
  let size = 0
  for await (const chunk of chunks) {
    // A line break may be CR, LF or both; a CR at the end waits for what follows. A line that has begun is not searched
    // again: it may be long, and arrive in many chunks.
    const text = lastBreak + decoder.write(chunk)
    lastBreak = text.endsWith('\r') ? '\r' : ''
    const [first = '', ...others] = text.slice(0, text.length - lastBreak.length).split(/\r\n|\n|\r/)
    const lines = [rest + first, ...others]
    rest = lines.pop() ?? ''
    if (size + rest.length > maxCharacters) throw tooLarge(maxCharacters)
    for (const line of lines) {
      size += line.length
      if (size > maxCharacters) throw tooLarge(maxCharacters)
      if (line !== '') fields.push(readField(line))
      else if (fields.length > 0) {
        yield toEvent(fields)
        fields = []
        size = 0
      }
    }
  }
}

function readField(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  const value = line.slice(colon + 1)
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value]
}

function toEvent(fields: readonly (readonly [string, string])[]): ServerSentEvent {
  const valuesOf = (name: string): string[] => fields.flatMap(([field, value]) => (field === name ? [value] : []))
  const retry = valuesOf('retry').at(-1)
  return {
    type: valuesOf('event').at(-1) ?? 'message',
    data: valuesOf('data').join('\n'),
    id: valuesOf('id').at(-1),
    retryMs: retry !== undefined && /^\d{1,9}$/.test(retry) ? Number(retry) : undefined,
  }
}

function tooLarge(maxCharacters: number): Failure {
  return new Failure(`sent a message of more than ${maxCharacters} characters`)
}
