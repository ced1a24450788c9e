// The result of one check of an endpoint, its constructors, and the format of what the endpoint returned.

import type { Answered, Probed } from '../../platform/probe.js'

const MAX_QUOTE_CHARS = 160

/** ArmorIQ runs this scanner when a server is registered. */
export const ARMORIQ_SCANNER = "ArmorIQ's scanner (conmap)"

export interface Verdict {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly seen: string
  /** What to do; absent if nothing is needed. */
  readonly fix?: string
}

export function ok(name: string, observed: string): Verdict {
  return { name, state: 'ok', seen: observed }
}

export function warning(name: string, observed: string, fix: string): Verdict {
  return { name, state: 'warning', seen: observed, fix }
}

export function failed(name: string, observed: string, fix: string): Verdict {
  return { name, state: 'failed', seen: observed, fix }
}

export function skipped(name: string, reason: string, fix?: string): Verdict {
  return { name, state: 'skipped', seen: `not tested: ${reason}`, ...(fix !== undefined && { fix }) }
}

/** One defect, to be reported as part of a check. */
export interface Defect {
  readonly severity: 'failed' | 'warning'
  readonly seen: string
  readonly fix: string
}

export function failing(observed: string, fix: string): Defect {
  return { severity: 'failed', seen: observed, fix }
}

/** The worst defect decides the state; all are reported. */
export function summed(name: string, defects: readonly Defect[], passedText: string): Verdict {
  if (defects.length === 0) return ok(name, passedText)
  const state = defects.some(({ severity }) => severity === 'failed') ? 'failed' : 'warning'
  const observed = [...new Set(defects.map((defect) => defect.seen))].join('; ')
  const fix = [...new Set(defects.map((defect) => defect.fix))].join('\n')
  return { name, state, seen: observed, fix }
}

/** Quotes text of the endpoint: truncated, and without control characters that affect a terminal. */
export function quote(text: string): string {
  const truncated = text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS)}…` : text
  return visible(JSON.stringify(truncated))
}

export function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are replaced
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\u{fffd}')
}

export function describe(probed: Probed): string {
  if (probed.kind === 'unanswered') return probed.reason
  return `HTTP ${probed.status}${describeBodyEnd(probed)}${probed.body === '' ? '' : ` ${quote(probed.body)}`}`
}

function describeBodyEnd({ end }: Answered): string {
  return {
    whole: '',
    open: '; the body did not end',
    'too large': '; the body is too large',
    broken: '; the connection was closed early',
  }[end]
}
