// Reads a response: its headers and its body, complete or as far as it arrived.

import type { IncomingMessage } from 'node:http'

import { readBody } from './body.js'
import type { Question } from './exchange.js'
import type { FetchProblem } from './fetch-failure.js'
import type { Brought, Errand } from './way-out.js'

const MAX_BYTES = 10 * 1024 * 1024

export async function bring(
  response: IncomingMessage,
  { url }: Question,
  redirects: readonly string[],
  { maxBytes = MAX_BYTES, takePart = false }: Errand,
  signal: AbortSignal,
): Promise<Brought> {
  const { bytes, ended: endedBy } = await readBody(response, maxBytes, signal)
  const truncatedBy = endedBy && TRUNCATION_REASONS.get(endedBy.problem)
  if (endedBy && !(takePart && truncatedBy)) throw endedBy
  return {
    url: url.href,
    redirects,
    status: response.statusCode ?? 0,
    headers: toHeaders(response),
    bytes,
    ...(truncatedBy && { cut: truncatedBy }),
  }
}

const TRUNCATION_REASONS: ReadonlyMap<FetchProblem, NonNullable<Brought['cut']>> = new Map([
  ['too-large', 'size'],
  ['timeout', 'time'],
  ['broken', 'broken'],
])

function toHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    try {
      headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
    } catch {
      // Node's parser accepts a few invalid header names and values.
    }
  }
  return headers
}
