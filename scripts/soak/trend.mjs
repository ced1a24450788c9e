// Whether a series of samples grows: the Theil-Sen slope over the last three quarters, which neither a warm-up nor single
// peaks change, held against a share of the median. Used by the verdict of scripts/soak.mjs.

const WARM_UP_SHARE = 1 / 4
const MIN_SAMPLES = 8
/** Pairs of points grow with the square of their number; beyond this many points, medians of neighbours stand for them. */
const MAX_POINTS = 240

/**
 * `samples` are {at, value}, `at` in seconds. `share` is the growth over the judged time that is still none, of the
 * median; `least` the same as a value, for series that are small. Resolves to figures and `isGrowing`.
 */
export function judgeTrend(samples, { share = 0.1, least = 0 } = {}) {
  const known = samples.filter(({ value }) => Number.isFinite(value))
  const from = (known[0]?.at ?? 0) + ((known.at(-1)?.at ?? 0) - (known[0]?.at ?? 0)) * WARM_UP_SHARE
  const judged = reduce(known.filter(({ at }) => at >= from))
  if (judged.length < MIN_SAMPLES)
    return { growth: 0, median: median(known.map(({ value }) => value)), isGrowing: false }
  const slope = theilSenSlope(judged)
  const seconds = judged.at(-1).at - judged[0].at
  const middle = median(judged.map(({ value }) => value))
  const growth = slope * seconds
  return { growth, median: middle, slope, seconds, isGrowing: growth > Math.max(middle * share, least) }
}

/** The median of the slopes between all pairs. */
export function theilSenSlope(points) {
  const slopes = []
  for (let one = 0; one < points.length; one += 1) {
    for (let other = one + 1; other < points.length; other += 1) {
      const run = points[other].at - points[one].at
      if (run > 0) slopes.push((points[other].value - points[one].value) / run)
    }
  }
  return slopes.length === 0 ? 0 : median(slopes)
}

export function median(values) {
  if (values.length === 0) return NaN
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function reduce(points) {
  const size = Math.ceil(points.length / MAX_POINTS)
  if (size <= 1) return points
  const groups = Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size),
  )
  return groups.map((group) => ({
    at: median(group.map(({ at }) => at)),
    value: median(group.map(({ value }) => value)),
  }))
}
