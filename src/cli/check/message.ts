// Parses the JSON-RPC response in an HTTP response, with the defects of its envelope.

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Probed } from '../../platform/probe.js'
import { readFrame } from './frame.js'
import { ARMORIQ_SCANNER, describe, quote, type Defect } from './verdict.js'

export interface Reading {
  /** Defects of the SSE framing. */
  readonly frame: readonly Defect[]
  /** Defects of the JSON-RPC envelope. */
  readonly envelope: readonly Defect[]
  readonly result: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export function readAnswer(probed: Probed, id: unknown): Reading {
  if (probed.kind === 'unanswered')
    return emptyResponse(`no response: ${probed.reason}`, suggestReachability(probed.reason))
  if (probed.status >= 300 && probed.status < 400) {
    const target = quote(probed.headers.location ?? '')
    return emptyResponse(
      `it redirects (HTTP ${probed.status}) to ${target}`,
      'Use the final address: clients do not follow redirects.',
    )
  }
  const { defects, message } = readFrame(probed)
  if (!isObject(message))
    return { frame: defects, ...failedEnvelope(`the response is ${describe(probed)}`, RESPONSE_FORMAT) }
  const { result, error } = message
  return {
    frame: defects,
    envelope: checkEnvelope(message, probed.status, id),
    result: isObject(result) ? result : undefined,
    error: isObject(error) ? error : undefined,
  }
}

function suggestReachability(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'The host name does not resolve: correct the address, or its DNS record.'
  if (reason.includes('ECONNREFUSED'))
    return 'Nothing listens there: start the server, or correct the address and port.'
  return `Make the endpoint answer a POST within 5 seconds, the timeout of ${ARMORIQ_SCANNER}.`
}

const RESPONSE_FORMAT = 'Answer with one JSON-RPC message that has a result or an error.'

function checkEnvelope(message: JsonObject, status: number, id: unknown): Defect[] {
  const defects: Defect[] = []
  const fail = (seen: string, fix: string): void => void defects.push({ severity: 'failed', seen, fix })
  if (status !== 200)
    fail(`the status is HTTP ${status}`, "Answer with HTTP 200: ArmorIQ's agent reads no other response.")
  if (message.jsonrpc !== '2.0') fail('"jsonrpc" is not "2.0"', 'Put "jsonrpc": "2.0" into each response.')
  if (message.id !== id)
    fail(`the id is ${quote(String(message.id))}`, `Repeat the id of the request, here ${String(id)}.`)
  if (isObject(message.result) === isObject(message.error)) fail('there is no result', RESPONSE_FORMAT)
  return defects
}

function emptyResponse(seen: string, fix: string): Reading {
  return { frame: [], ...failedEnvelope(seen, fix) }
}

function failedEnvelope(seen: string, fix: string) {
  return { envelope: [{ severity: 'failed', seen, fix }], result: undefined, error: undefined } as const
}

/** Formats an error for use inside a sentence. */
export function errorWords({ code, message }: JsonObject): string {
  return `error ${quote(String(code))} ${quote(String(message))}`
}
