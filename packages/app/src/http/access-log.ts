// The access log of `serve --http`: formats one JSON line per HTTP request and passes them to a writer (log-file.ts or
// stderr) in batches, because a write costs more than a line. It contains no secrets: only the beginning of a session
// id is logged. Created by cli/serve-http.ts. Sets a timer; no other I/O.

import type { AccessLog, FinishedRequest } from '@scorpiox/mcp/http/http-exchange'
import { escapeUnsafe } from '@scorpiox/mcp/log'

const BATCH_MS = 50
const MAX_PENDING_CHARS = 64 * 1024
// Paths and tool names are chosen by the client.
const MAX_FIELD_CHARS = 256
const SESSION_CHARS = 8
// https://www.w3.org/TR/trace-context/#traceparent-header
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/s

export type { AccessLog } from '@scorpiox/mcp/http/http-exchange'

/** `machine`: the name of this server, if it is one of several machines. */
export function createAccessLog(write: (text: string) => void, machine?: string): AccessLog {
  let pending = ''
  let timer: NodeJS.Timeout | undefined
  // Under load many requests arrive in the same millisecond, and formatting the date is a quarter of the cost of a
  // line.
  let last = { at: Number.NaN, time: '' }

  function formatTime(atMs: number): string {
    const at = Math.floor(atMs)
    if (at !== last.at) last = { at, time: new Date(at).toISOString() }
    return last.time
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const text = pending
    pending = ''
    if (text !== '') write(text)
  }

  return {
    logRequest(request) {
      pending += formatLine(request, formatTime(request.at), machine)
      if (pending.length >= MAX_PENDING_CHARS) flush()
      else timer ??= setTimeout(flush, BATCH_MS).unref()
    },
    close: flush,
  }
}

/** Unknown fields are omitted. */
function formatLine(request: FinishedRequest, time: string, machine: string | undefined): string {
  const { url, session } = request
  const query = url.indexOf('?')
  const line = JSON.stringify({
    time,
    machine,
    remote: truncate(request.remote),
    user: truncate(request.user),
    credential: truncate(request.credential),
    method: request.httpMethod,
    path: truncate(query === -1 ? url : url.slice(0, query)),
    era: request.protocol,
    rpc: truncate(request.rpcMethod),
    name: truncate(request.name),
    status: request.status,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
    ms: Math.round(request.ms * 1000) / 1000,
    session: session?.slice(0, SESSION_CHARS),
    forwardedTo: request.forwardedTo,
    trace: parseTraceId(request.traceparent) ?? parseTraceId(request.metaTraceparent),
  })
  // JSON leaves some characters that readers take for line breaks and terminals for control characters.
  return `${escapeUnsafe(line)}\n`
}

function truncate(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_FIELD_CHARS ? text : `${text.slice(0, MAX_FIELD_CHARS)}…`
}

/** The trace id of a W3C `traceparent` header, by which log lines can be found; undefined if the value is invalid. */
export function parseTraceId(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 512) return undefined
  const [, version, traceId, more] = TRACEPARENT.exec(value) ?? []
  // Version 00 has no further fields; later versions may.
  return version === '00' && more !== undefined ? undefined : traceId
}
