// Bounded HTTP requests to URLs that the operator configured, without address checks: the keys of the OAuth issuer
// (issuer-keys of the app) and the webhooks of callbacks (side-effects). The response is read completely, within a size
// and a time limit; a request that fails is a Failure that says why. Redirects are followed on request only. Sends HTTP
// requests.

import { Failure } from '@scorpiox/mcp/errors'
import { createTimeoutSignal } from '../async/timeouts.js'
import { tryParseUrl } from '../text/parse-url.js'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

interface ConfiguredFetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole request, including the body. */
  readonly timeoutMs?: number
  /** Of the body after decompression. */
  readonly maxBytes?: number
  readonly followRedirects?: boolean
  readonly signal?: AbortSignal
}

interface ConfiguredFetchResult {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
}

/** Any status is a result; only a response that is missing, too large or too late is a Failure. */
export async function fetchConfiguredUrl(
  url: URL | string,
  options: ConfiguredFetchOptions = {},
): Promise<ConfiguredFetchResult> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, followRedirects = false, signal, ...request } = options
  const target = parseHttpUrl(url)
  const timeout = createTimeoutSignal(timeoutMs, [signal])
  try {
    const response = await fetch(target, {
      ...request,
      redirect: followRedirects ? 'follow' : 'manual',
      signal: timeout.signal,
    })
    return { status: response.status, headers: response.headers, bytes: await readUpTo(maxBytes, response) }
  } catch (error) {
    const isLate = timeout.signal.aborted && signal?.aborted !== true
    const why = isLate ? `no complete response within ${timeoutMs} ms` : describeFetchError(error)
    throw new Failure(`Could not fetch ${redactQuery(target)}: ${why}`, { cause: error })
  } finally {
    timeout.clear()
  }
}

function parseHttpUrl(url: URL | string): URL {
  const target = tryParseUrl(String(url))
  if (target && /^https?:$/.test(target.protocol)) return target
  throw new Failure(
    `Could not fetch ${target ? redactQuery(target) : String(url)}: only http and https URLs can be fetched`,
  )
}

async function readUpTo(maxBytes: number, response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop early cancels the body and closes the connection.
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new Failure(`the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

// fetch reports "fetch failed", and the reason in `cause`.
function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}

// Without the query and the password, which may be secrets: this goes into logs.
function redactQuery({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}
