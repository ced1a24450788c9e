// The door for outgoing HTTP. What comes back is whole, no larger than asked for, and there within the time; what
// cannot be had is a Failure that says why. Redirects are followed only when asked for: they lead elsewhere.

import { deadline } from '../lib/deadline.js'
import { Failure } from '../lib/failure.js'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

export interface Outgoing {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For everything, the body included. */
  readonly timeoutMs?: number
  /** Counted as the bytes come out of any compression. */
  readonly maxBytes?: number
  readonly followRedirects?: boolean
  readonly signal?: AbortSignal
}

export interface Incoming {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** Every status is an answer; only what never arrived, or arrived too large or too late, is a Failure. */
export async function fetchFrom(url: URL | string, outgoing: Outgoing = {}): Promise<Incoming> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, followRedirects = false, signal, ...request } = outgoing
  const target = parse(url)
  const limit = deadline(timeoutMs, signal)
  try {
    const response = await fetch(target, {
      ...request,
      redirect: followRedirects ? 'follow' : 'manual',
      signal: limit.signal,
    })
    return { status: response.status, headers: response.headers, bytes: await readUpTo(maxBytes, response) }
  } catch (error) {
    const isLate = limit.signal.aborted && signal?.aborted !== true
    const why = isLate ? `no whole answer within ${timeoutMs} ms` : reasonOf(error)
    throw new Failure(`Could not fetch ${nameOf(target)}: ${why}`, { cause: error })
  } finally {
    limit.clear()
  }
}

function parse(url: URL | string): URL {
  const target = URL.canParse(String(url)) ? new URL(url) : undefined
  if (target && /^https?:$/.test(target.protocol)) return target
  throw new Failure(`Could not fetch ${target ? nameOf(target) : String(url)}: only http and https URLs can be fetched`)
}

async function readUpTo(maxBytes: number, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop early cancels the body, and with it the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Failure(`the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// fetch says "fetch failed", and the reason in its cause.
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

// Without the query and the password, which may be secrets: this goes into logs.
function nameOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}
