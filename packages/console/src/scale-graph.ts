// Scales the values of a graph of what a job uses to its height. Used by the page and the inbox, so that both draw the
// same. Pure.

const HEADROOM = 1.25

/** From 0 to 1. `floor`: the smallest value at the top, so that little use looks little. */
export function scaleGraph(values: readonly number[], floor: number): readonly number[] {
  const top = Math.max(floor, 1, Math.max(...values) * HEADROOM)
  return values.map((value) => value / top)
}
