// Sends HTTP requests to addresses that the author of a server has chosen: mounted servers and APIs. Redirects are not
// followed here, and bodies are read up to a limit. Used by http-transport.ts and by openapi/. Opens connections.

import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'

export interface HttpRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Ends the request, also while its response is read. */
  readonly signal: AbortSignal
}

/** Rejects with an error whose message ends a sentence. */
export function sendHttpRequest({ url, method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestSecure : requestPlain
  // A body that is compressed could expand without a bound.
  const allHeaders = { 'accept-encoding': 'identity', ...headers, ...(body !== undefined && lengthHeader(body)) }
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers: allHeaders })
    let response: IncomingMessage | undefined
    // Not the option `signal`: after the response was read, it would end a socket without a listener.
    const onAbort = (): void => void (response ? response.destroy() : request.destroy(new Error('aborted')))
    signal.addEventListener('abort', onAbort)
    request.on('close', () => signal.removeEventListener('abort', onAbort))
    request.on('error', (error) => reject(new Error(describeError(error))))
    request.on('response', (received) => {
      received.on('error', () => {})
      resolve((response = received))
    })
    if (signal.aborted) onAbort()
    request.end(body)
  })
}

/** The first bytes of a body, and whether there were more. */
export interface BoundedBody {
  readonly bytes: Buffer
  readonly isCut: boolean
}

/** Reads a body up to a limit; what follows is not read. */
export async function readBoundedBody(response: IncomingMessage, maxBytes: number): Promise<BoundedBody> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of readChunks(response)) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) break
  }
  const bytes = Buffer.concat(chunks)
  return { bytes: bytes.subarray(0, maxBytes), isCut: size > maxBytes }
}

/** The chunks of a body, which must not be compressed. Leaving the loop ends the response. */
export async function* readChunks(response: IncomingMessage): AsyncGenerator<Buffer, void> {
  const { 'content-encoding': encoding = '' } = response.headers
  try {
    for await (const chunk of response) {
      if (!/^(identity)?$/i.test(encoding))
        throw new Error(`its response is compressed (${encoding.slice(0, 40)}), which the request does not accept`)
      if (Buffer.isBuffer(chunk)) yield chunk
    }
  } catch (error) {
    throw new Error(describeError(error), { cause: error })
  }
}

function lengthHeader(body: string | Uint8Array): Record<string, string> {
  return { 'content-length': String(Buffer.byteLength(body)) }
}

/** The message of an AggregateError, which a host with several addresses causes, is empty. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message !== '') return error.message
  return 'code' in error ? String(error.code) : error.name
}
