// What one look at an endpoint came to: a name, how it stands, what was seen, and what to do about it.

import type { Answered, Probed } from '../../platform/probe.js'

const MAX_QUOTE_CHARS = 160

/** The scanner that ArmorIQ runs when a server is registered. */
export const ARMORIQ_SCANNER = "ArmorIQ's scanner (conmap)"

export interface Verdict {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped'
  readonly seen: string
  /** What to do; absent where nothing needs doing. */
  readonly fix?: string
}

export function ok(name: string, seen: string): Verdict {
  return { name, state: 'ok', seen }
}

export function warning(name: string, seen: string, fix: string): Verdict {
  return { name, state: 'warning', seen, fix }
}

export function failed(name: string, seen: string, fix: string): Verdict {
  return { name, state: 'failed', seen, fix }
}

export function skipped(name: string, why: string, fix?: string): Verdict {
  return { name, state: 'skipped', seen: `not tested: ${why}`, ...(fix !== undefined && { fix }) }
}

/** One thing that is wrong, before it is known under which name it is reported. */
export interface Defect {
  readonly severity: 'failed' | 'warning'
  readonly seen: string
  readonly fix: string
}

export function failing(seen: string, fix: string): Defect {
  return { severity: 'failed', seen, fix }
}

/** The worst of the defects decides; all of them are told. */
export function summed(name: string, defects: readonly Defect[], fine: string): Verdict {
  if (defects.length === 0) return ok(name, fine)
  const state = defects.some(({ severity }) => severity === 'failed') ? 'failed' : 'warning'
  const seen = [...new Set(defects.map((defect) => defect.seen))].join('; ')
  const fix = [...new Set(defects.map((defect) => defect.fix))].join('\n')
  return { name, state, seen, fix }
}

/** Words of the other side, short, in quotes, and without characters that move a terminal. */
export function quote(text: string): string {
  const short = text.length > MAX_QUOTE_CHARS ? `${text.slice(0, MAX_QUOTE_CHARS)}…` : text
  return visible(JSON.stringify(short))
}

export function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that must not get through
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, '\u{fffd}')
}

export function describe(probed: Probed): string {
  if (probed.kind === 'unanswered') return probed.reason
  return `HTTP ${probed.status}${describeEnd(probed)}${probed.body === '' ? '' : ` ${quote(probed.body)}`}`
}

function describeEnd({ end }: Answered): string {
  return { whole: '', open: ' with a body that did not end', 'too large': ' with a huge body', broken: ' torn off' }[
    end
  ]
}
