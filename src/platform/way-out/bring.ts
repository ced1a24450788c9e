// What an answer brings: its body, whole or as far as it came, and its headers.

import type { IncomingMessage } from 'node:http'

import { readBody } from './body.js'
import type { Question } from './exchange.js'
import type { FetchProblem } from './fetch-failure.js'
import type { Brought, Errand } from './way-out.js'

const MAX_BYTES = 10 * 1024 * 1024

export async function bring(
  answer: IncomingMessage,
  { url }: Question,
  redirects: readonly string[],
  { maxBytes = MAX_BYTES, takePart = false }: Errand,
  signal: AbortSignal,
): Promise<Brought> {
  const { bytes, ended } = await readBody(answer, maxBytes, signal)
  const cut = ended && CUTS.get(ended.problem)
  if (ended && !(takePart && cut)) throw ended
  return {
    url: url.href,
    redirects,
    status: answer.statusCode ?? 0,
    headers: headersOf(answer),
    bytes,
    ...(cut && { cut }),
  }
}

const CUTS: ReadonlyMap<FetchProblem, NonNullable<Brought['cut']>> = new Map([
  ['too-large', 'size'],
  ['timeout', 'time'],
  ['broken', 'broken'],
])

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    try {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
    } catch {
      // Node's parser lets a few through that are no headers.
    }
  }
  return headers
}
