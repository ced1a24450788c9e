// How search stands on this machine, for people who look on: which engines are left alone, until when and why. Asks nobody.

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
  /** Null where there is nothing to say. */
  readonly note: string | null
}

export function standingOf(settings: Settings, now = Date.now()): Standing {
  try {
    const { first } = readRoster(settings).lineUp(readQuery('anything'))
    const states = openEngineStates(join(stateDirOf(settings), 'engines.json')).read()
    const resting = [...states].filter(([, state]) => isResting(state, now))
    if (resting.length === 0) return { works: true, note: null }
    const free = first.filter(({ id }) => !resting.some(([name]) => name === id)).length
    const names = resting.map(
      ([name, { until, why }]) => `${name} until ${clockTime(until)} (${why.replace('_', ' ')})`,
    )
    const note = `${free} of the ${first.length} usual engines can be asked. Left alone for now: ${names.join(', ')}.`
    return { works: free > 0, note }
  } catch (error) {
    if (error instanceof Failure) return { works: false, note: error.message }
    throw error
  }
}

/** As the clock on the wall has it. */
function clockTime(time: number): string {
  const date = new Date(time)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}
