// Health of search for the console and the doctor: which engines are in cooldown, until when and why. Sends no request.

import { join } from 'node:path'

import type { Settings } from '../../config/options.js'
import { stateDirOf } from '../../config/state-dir.js'
import { Failure } from '../../lib/failure.js'
import { openEngineStates } from '../../store/engine-states.js'
import { isResting } from './breaker.js'
import { readRoster } from './line-up.js'
import { readQuery } from './query.js'

export interface Standing {
  readonly works: boolean
  /** Null without problems. */
  readonly note: string | null
}

export function standingOf(settings: Settings, now = Date.now()): Standing {
  try {
    const { first: primary } = readRoster(settings).lineUp(readQuery('anything'))
    const states = openEngineStates(join(stateDirOf(settings), 'engines.json')).read()
    const coolingDown = [...states].filter(([, state]) => isResting(state, now))
    if (coolingDown.length === 0) return { works: true, note: null }
    const available = primary.filter(({ id }) => !coolingDown.some(([name]) => name === id)).length
    const names = coolingDown.map(
      ([name, { until, why }]) => `${name} until ${clockTime(until)} (${why.replace('_', ' ')})`,
    )
    const note = `${available} of the ${primary.length} default engines are available. In cooldown: ${names.join(', ')}.`
    return { works: available > 0, note }
  } catch (error) {
    if (error instanceof Failure) return { works: false, note: error.message }
    throw error
  }
}

/** Local time as HH:MM. */
function clockTime(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
