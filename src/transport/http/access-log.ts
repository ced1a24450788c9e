// The access log: one JSON line for each HTTP request that ended. Lines are gathered and handed on a few times a second,
// because a write to the system costs more than the line. No secret is in it: of a session only the beginning of its id.

import { readTraceparent } from '../../lib/traceparent.js'
import type { AccessLog, FinishedRequest } from './visit.js'

const WAIT_MS = 50
const MAX_PENDING_CHARS = 64 * 1024
// A path or a tool's name is whatever the client sent.
const MAX_FIELD_CHARS = 256
const SESSION_CHARS = 8

export type { AccessLog } from './visit.js'

export function createAccessLog(write: (text: string) => void): AccessLog {
  let pending = ''
  let timer: NodeJS.Timeout | undefined
  // Where it is busy, many requests come in the same millisecond, and a date is a quarter of a line's cost.
  let last = { at: Number.NaN, time: '' }

  function timeOf(moment: number): string {
    const at = Math.floor(moment)
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
    finished(request) {
      pending += lineOf(request, timeOf(request.at))
      if (pending.length >= MAX_PENDING_CHARS) flush()
      else timer ??= setTimeout(flush, WAIT_MS).unref()
    },
    close: flush,
  }
}

/** What is not known is left out. */
function lineOf(request: FinishedRequest, time: string): string {
  const { url, session } = request
  const query = url.indexOf('?')
  const line = JSON.stringify({
    time,
    remote: bounded(request.remote),
    user: bounded(request.user),
    credential: bounded(request.credential),
    method: request.httpMethod,
    path: bounded(query === -1 ? url : url.slice(0, query)),
    era: request.era,
    rpc: bounded(request.rpcMethod),
    name: bounded(request.name),
    status: request.status,
    bytesIn: request.bytesIn,
    bytesOut: request.bytesOut,
    ms: Math.round(request.ms * 1000) / 1000,
    session: session?.slice(0, SESSION_CHARS),
    trace: readTraceparent(request.traceparent) ?? readTraceparent(request.metaTraceparent),
  })
  return `${UNSEEN.test(line) ? escaped(line) : line}\n`
}

function bounded(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_FIELD_CHARS ? text : `${text.slice(0, MAX_FIELD_CHARS)}…`
}

// JSON leaves these as they are, but some readers take them for the end of a line, and some terminals for commands.
const UNSEEN = /[\u007f-\u009f\u2028\u2029]/

function escaped(line: string): string {
  return line.replace(new RegExp(UNSEEN, 'g'), (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
