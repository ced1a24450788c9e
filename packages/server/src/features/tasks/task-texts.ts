// The texts of tasks and steps as callers give them: trimmed, not empty, and not longer than permitted. Used by task-service
// and edit-task. Pure.

import { Failure } from '@scorpiox/mcp/errors'
import type { NewStep } from './task-table.js'

export const MAX_NAME = 500
export const MAX_STEP = 2000
/** Limit per call. */
const MAX_STEPS_ADDED = 100

export function newSteps(input: readonly string[]): readonly NewStep[] {
  if (input.length > MAX_STEPS_ADDED) {
    throw new Failure(
      `There are ${input.length} steps; one call takes at most ${MAX_STEPS_ADDED}. Nothing was changed.`,
    )
  }
  return input.map((each, index) => {
    const what = input.length === 1 ? 'text of the step' : `text of step ${index + 1} in the list`
    return { text: parseText(each, what, MAX_STEP), completedAt: null }
  })
}

export function parseText(input: string, what: string, max: number): string {
  const text = input.trim()
  if (text === '') throw new Failure(`The ${what} is missing: give it as text.`)
  if (text.length <= max) return text
  throw new Failure(`The ${what} has ${text.length} characters; at most ${max} are allowed. Shorten it.`)
}
