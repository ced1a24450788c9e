// The options of `npm run soak`, read by scripts/soak.mjs and by the run inside its mounts.

import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { FAULTS } from './faults.mjs'
import { VARIANTS } from './subject.mjs'

const PARTS = ['load', 'properties']

export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      part: { type: 'string' },
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '3' },
      users: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      variants: { type: 'string', default: VARIANTS.join(',') },
      faults: { type: 'string', default: Object.keys(FAULTS).join(',') },
      hour: { type: 'string', default: '60' },
      every: { type: 'string', default: '10' },
      out: { type: 'string', default: join(tmpdir(), 'scorpiox-soak') },
      docs: { type: 'boolean', default: false },
    },
  })
  return {
    parts: values.part === undefined ? PARTS : chosen('--part', values.part, PARTS),
    minutes: number('--minutes', values.minutes),
    rate: number('--rate', values.rate),
    users: number('--users', values.users),
    seed: number('--seed', values.seed),
    hourMinutes: number('--hour', values.hour),
    sampleMs: number('--every', values.every) * 1000,
    variants: chosen('--variants', values.variants, VARIANTS),
    faults: values.faults === 'none' ? [] : chosen('--faults', values.faults, Object.keys(FAULTS)),
    out: resolve(values.out),
    docs: values.docs,
  }
}

function number(flag, text) {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${flag} takes a number above 0, not "${text}".`)
  return value
}

function chosen(flag, text, known) {
  const names = text.split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${flag} takes ${known.join(', ')}, not "${unknown}".`)
  return names
}
