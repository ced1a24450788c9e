// Health of search for the console (through services.ts of the app) and the doctor (diagnose-environment): which
// engines are in cooldown, until when and why. Sends no request; reads the file of engine states.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Settings } from '../../config/options.js'
import { getStateDir } from '../../config/paths.js'
import { isCoolingDown } from './circuit-breaker.js'
import { readEngineSelection } from './engine-selection.js'
import { openEngineStateFile } from './engine-state-file.js'
import { parseQuery } from './query.js'

export interface SearchHealth {
  readonly works: boolean
  /** Null without problems. */
  readonly note: string | null
}

export function readSearchHealth(settings: Settings, now = Date.now()): SearchHealth {
  try {
    const { primary } = readEngineSelection(settings).selectEngines(parseQuery('anything'))
    const states = openEngineStateFile(join(getStateDir(settings), 'engines.json')).read()
    const coolingDown = [...states].filter(([, state]) => isCoolingDown(state, now))
    if (coolingDown.length === 0) return { works: true, note: null }
    const available = primary.filter(({ id }) => !coolingDown.some(([name]) => name === id)).length
    const names = coolingDown.map(
      ([name, { until, why }]) => `${name} until ${formatClockTime(until)} (${why.replace('_', ' ')})`,
    )
    const note = `${available} of the ${primary.length} default engines are available. In cooldown: ${names.join(', ')}.`
    return { works: available > 0, note }
  } catch (error) {
    if (error instanceof Failure) return { works: false, note: error.message }
    throw error
  }
}

/** Local time as HH:MM. */
function formatClockTime(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
