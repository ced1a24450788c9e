// The result of one check of an endpoint, its constructors, and the format of what the endpoint returned. Used by
// check-command, run-checks, parse-response and both files of checks. Pure.

import type { ProbeResponse, ProbeResult } from './http-probe.js'

const MAX_QUOTE_CHARS = 160

/** ArmorIQ runs this scanner when a server is registered. */
export const ARMORIQ_SCANNER = "ArmorIQ's scanner (conmap)"

export interface CheckResult {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly seen: string
  /** What to do; absent if nothing is needed. */
  readonly fix?: string
}

export function passedCheck(name: string, observed: string): CheckResult {
  return { name, state: 'ok', seen: observed }
}

export function warningCheck(name: string, observed: string, fix: string): CheckResult {
  return { name, state: 'warning', seen: observed, fix }
}

export function failedCheck(name: string, observed: string, fix: string): CheckResult {
  return { name, state: 'failed', seen: observed, fix }
}

export function skippedCheck(name: string, reason: string, fix?: string): CheckResult {
  return { name, state: 'skipped', seen: `not tested: ${reason}`, ...(fix !== undefined && { fix }) }
}

/** One defect, to be reported as part of a check. */
export interface CheckDefect {
  readonly severity: 'failed' | 'warning'
  readonly seen: string
  readonly fix: string
}

export function failedDefect(observed: string, fix: string): CheckDefect {
  return { severity: 'failed', seen: observed, fix }
}

/** The worst defect decides the state; all are reported. */
export function combineDefects(name: string, defects: readonly CheckDefect[], passedText: string): CheckResult {
  if (defects.length === 0) return passedCheck(name, passedText)
  const state = defects.some(({ severity }) => severity === 'failed') ? 'failed' : 'warning'
  const observed = [...new Set(defects.map((defect) => defect.seen))].join('; ')
  const fix = [...new Set(defects.map((defect) => defect.fix))].join('\n')
  return { name, state, seen: observed, fix }
}

/** Quotes text of the endpoint: truncated, and without control characters that affect a terminal. */
export function quoteText(text: string): string {
  const truncated = text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS)}…` : text
  return replaceControls(JSON.stringify(truncated))
}

export function replaceControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are replaced
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\u{fffd}')
}

export function describeProbe(probed: ProbeResult): string {
  if (probed.kind === 'unanswered') return probed.reason
  return `HTTP ${probed.status}${describeBodyEnd(probed)}${probed.body === '' ? '' : ` ${quoteText(probed.body)}`}`
}

function describeBodyEnd({ bodyEnd }: ProbeResponse): string {
  return {
    whole: '',
    open: '; the body did not end',
    'too large': '; the body is too large',
    broken: '; the connection was closed early',
  }[bodyEnd]
}
