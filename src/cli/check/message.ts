// An answer, read: how it was wrapped, and the result or error inside. What every answer owes is judged here once.

import { isObject, type JsonObject } from '../../lib/json.js'
import type { Probed } from '../../platform/probe.js'
import { readFrame } from './frame.js'
import { ARMORIQ_SCANNER, describe, quote, type Defect } from './verdict.js'

export interface Reading {
  /** How the answer was wrapped. */
  readonly frame: readonly Defect[]
  /** What keeps it from being the JSON-RPC answer to the request. */
  readonly envelope: readonly Defect[]
  readonly result: JsonObject | undefined
  readonly error: JsonObject | undefined
}

export function readAnswer(probed: Probed, id: unknown): Reading {
  if (probed.kind === 'unanswered') return nothing(`it was not answered: ${probed.reason}`, reachFix(probed.reason))
  if (probed.status >= 300 && probed.status < 400) {
    const target = quote(probed.headers.location ?? '')
    return nothing(
      `it redirects (HTTP ${probed.status}) to ${target}`,
      'Give the final address: clients follow nothing.',
    )
  }
  const { defects, message } = readFrame(probed)
  if (!isObject(message)) return { frame: defects, ...empty(`it was answered with ${describe(probed)}`, ANSWER) }
  const { result, error } = message
  return {
    frame: defects,
    envelope: judgeEnvelope(message, probed.status, id),
    result: isObject(result) ? result : undefined,
    error: isObject(error) ? error : undefined,
  }
}

function reachFix(reason: string): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(reason))
    return 'The host name does not resolve: correct the address, or its DNS record.'
  if (reason.includes('ECONNREFUSED'))
    return 'Nothing listens there: start the server, or correct the address and port.'
  return `Make the endpoint answer a POST within 5 seconds: ${ARMORIQ_SCANNER} waits no longer.`
}

const ANSWER = 'Answer with one JSON-RPC message that has a result or an error.'

function judgeEnvelope(message: JsonObject, status: number, id: unknown): Defect[] {
  const defects: Defect[] = []
  const fail = (seen: string, fix: string): void => void defects.push({ severity: 'failed', seen, fix })
  if (status !== 200)
    fail(`it was answered with HTTP ${status}`, "Answer with HTTP 200: ArmorIQ's agent reads nothing else.")
  if (message.jsonrpc !== '2.0') fail('"jsonrpc" is not "2.0"', 'Put "jsonrpc": "2.0" into each answer.')
  if (message.id !== id)
    fail(`the id is ${quote(String(message.id))}`, `Repeat the id of the request, here ${String(id)}.`)
  if (isObject(message.result) === isObject(message.error)) fail('there is no result', ANSWER)
  return defects
}

function nothing(seen: string, fix: string): Reading {
  return { frame: [], ...empty(seen, fix) }
}

function empty(seen: string, fix: string) {
  return { envelope: [{ severity: 'failed', seen, fix }], result: undefined, error: undefined } as const
}

/** For the middle of a sentence: what an error says. */
export function errorWords({ code, message }: JsonObject): string {
  return `error ${quote(String(code))} ${quote(String(message))}`
}
