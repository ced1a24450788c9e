// Checks beyond the four tests of ArmorIQ's documentation: notifications, concurrent requests, other revisions, response time.

import { isObject } from '../../lib/json.js'
import type { Probed } from '../../platform/probe.js'
import { readFrame } from './frame.js'
import { errorWords, type Reading } from './message.js'
import { ARMORIQ_SCANNER, describe, failed, ok, quote, skipped, summed, warning, type Verdict } from './verdict.js'

const SCANNER_TIMEOUT_MS = 5000

/** ArmorIQ's agent sends an id with this notification too, and fails without a response. */
export function judgeInitializedWithId(probed: Probed, { envelope, result, error }: Reading): Verdict {
  const name = 'initialized with an id'
  const fix = 'Answer a notifications/* message that has an id with HTTP 200 and an empty result.'
  if (probed.kind === 'answered' && probed.status === 202) {
    return failed(name, "HTTP 202: ArmorIQ's agent sends an id and waits for a result", fix)
  }
  if (error) return warning(name, `${errorWords(error)}, which ArmorIQ's agent happens to accept`, fix)
  if (result) return summed(name, envelope, 'HTTP 200 with a result')
  return failed(name, describe(probed), fix)
}

export function judgeInitialized(probed: Probed): Verdict {
  const name = 'initialized without an id'
  const fix = 'Answer a notification with HTTP 202 and no body.'
  if (probed.kind === 'unanswered' || probed.status >= 300) return failed(name, describe(probed), fix)
  if (probed.status === 202 && probed.body === '') return ok(name, 'HTTP 202')
  return warning(name, describe(probed), fix)
}

/** ArmorIQ's scanner sends four requests at once, without a session and with string ids. */
export function judgeScanner(responses: ReadonlyMap<string, Reading>): Verdict {
  const defects = [...responses].flatMap(([method, { envelope, result, error }]) => {
    const isRequired = method === 'initialize' || method === 'tools/list'
    if (error && isRequired) {
      const fix = 'Serve it without a session and without a preceding handshake.'
      return [{ severity: 'failed', seen: `${method}: ${errorWords(error)}`, fix } as const]
    }
    return result || isRequired ? envelope.map((defect) => ({ ...defect, seen: `${method}: ${defect.seen}` })) : []
  })
  return summed('four at once', defects, 'initialize, tools/list, resources/list and prompts/list all answered')
}

export function judgeModern(probed: Probed): Verdict {
  const name = 'revision 2026-07-28'
  if (probed.kind === 'unanswered') return warning(name, probed.reason, 'Answer unknown requests with an error.')
  const { message } = readFrame(probed)
  const result = isObject(message) && isObject(message.result) ? message.result : undefined
  if (!Array.isArray(result?.supportedVersions)) return ok(name, `not supported (${describe(probed)}); it is optional`)
  return ok(name, `supported, with ${result.supportedVersions.map((version) => quote(String(version))).join(', ')}`)
}

export function judgeLegacy(probed: Probed): Verdict {
  const name = 'revision 2025-06-18'
  if (probed.kind === 'unanswered') return warning(name, probed.reason, 'Answer initialize at any revision.')
  const { message } = readFrame(probed)
  const result = isObject(message) && isObject(message.result) ? message.result : undefined
  if (!result) return ok(name, `not supported (${describe(probed)}); it is optional`)
  const id = probed.headers['mcp-session-id']
  const session = id === undefined ? 'without a session id' : `with a session id of ${id.length} characters`
  return ok(name, `answered at ${quote(String(result.protocolVersion))}, ${session}`)
}

/** Uses the complete responses except those of tool calls. */
export function judgePace(times: readonly number[]): Verdict {
  const name = 'pace'
  if (times.length === 0) return skipped(name, 'no request was answered')
  const sorted = [...times].sort((a, b) => a - b)
  const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  const observed = `${times.length} responses, median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`
  if (slowest < SCANNER_TIMEOUT_MS / 2) return ok(name, observed)
  return warning(
    name,
    observed,
    `Answer faster: ${ARMORIQ_SCANNER} drops a server that takes ${SCANNER_TIMEOUT_MS} ms.`,
  )
}
