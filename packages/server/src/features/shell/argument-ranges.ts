// Checks the ranges of numbers in the arguments of the job tools. The published schemas do not state them, because a
// longer schema costs tokens in every conversation. Used by BackgroundBash, ReadBgOutput and user-terminals. Pure.

import { Failure } from '@scorpiox/mcp/errors'

const COLS = [10, 500] as const
const ROWS = [2, 500] as const

/** Throws a Failure if a number is not in its range; undefined is. */
export function checkRange(name: string, value: number | undefined, [min, max]: readonly [number, number]): void {
  if (value === undefined || (value >= min && value <= max)) return
  const range = max === Infinity ? `at least ${min}` : `from ${min} to ${max}`
  throw new Failure(`Invalid arguments: '${name}' must be ${range}. Nothing was done.`)
}

interface RequestedSize {
  readonly cols?: number | undefined
  readonly rows?: number | undefined
}

/** Only what is given. */
export function checkSize({ cols, rows }: RequestedSize): { readonly cols?: number; readonly rows?: number } {
  checkRange('cols', cols, COLS)
  checkRange('rows', rows, ROWS)
  return { ...(cols !== undefined && { cols }), ...(rows !== undefined && { rows }) }
}

/** `full` asks for the whole screen; a size such as `100x30` resizes it, too. */
export function parseScreen(screen: string | undefined): ReturnType<typeof checkSize> | undefined {
  if (screen === undefined || screen === 'full') return undefined
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(screen) ?? []
  if (cols === undefined || rows === undefined)
    throw new Failure(`Invalid arguments: 'screen' must be full or a new size such as 100x30. Nothing was done.`)
  return checkSize({ cols: Number(cols), rows: Number(rows) })
}
