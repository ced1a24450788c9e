// A graph of one row of block characters, the newest value on the right. Used by job-usage.ts. Pure.

import { scaleGraph } from '../scale-graph.js'

const BLOCKS = '▁▂▃▄▅▆▇█'

export interface BlockGraphOptions {
  readonly columns: number
  /** The smallest value at the top. */
  readonly floor: number
}

/** Exactly `columns` wide: blank on the left where there are fewer values, and with the peaks of several in each column if there are more. */
export function drawBlockGraph(values: readonly number[], { columns, floor }: BlockGraphOptions): string {
  const shares = scaleGraph(values, floor)
  const count = Math.min(columns, shares.length)
  const start = (column: number): number => Math.floor((column * shares.length) / count)
  const bars = Array.from({ length: count }, (_, column) => {
    const share = Math.max(...shares.slice(start(column), start(column + 1)))
    return BLOCKS.charAt(Math.round(share * (BLOCKS.length - 1)))
  })
  return bars.join('').padStart(columns)
}
