// Gradient boosting on the logistic loss. Each tree asks one question on each level, chosen for all its branches at once.

const TREES = 100
const DEPTH = 5
const RATE = 0.15
const CAUTION = 3
const BINS = 32
const ROWS_SEEN = 0.5
const FEATURES_SKIPPED = 0.3

export function opinion(trees, row) {
  let sum = 0
  for (const { asks, says } of trees) {
    let leaf = 0
    for (const [depth, { feature, border }] of asks.entries()) if (row[feature] > border) leaf |= 1 << depth
    sum += says[leaf]
  }
  return sum
}

/** `which` names the features to learn from: `alone` or `heard`. */
export function boost(lessons, which) {
  const rows = lessons.flatMap((lesson) => lesson[which])
  const labels = Float64Array.from(lessons.flatMap((lesson) => lesson.labels))
  const weights = Float64Array.from(lessons.flatMap(weightsOf))
  const borders = Array.from({ length: rows[0].length }, (_, feature) => bordersOf(rows, feature))
  const bins = borders.map((cuts, feature) => Uint8Array.from(rows, (row) => binOf(row[feature], cuts)))
  const scores = new Float64Array(rows.length)
  const random = randomFrom(7)
  const trees = []
  for (let round = 0; round < TREES; round++) {
    const { slopes, curves } = steps(scores, labels, weights)
    const sample = Int32Array.from(rows.keys()).filter(() => random() < ROWS_SEEN)
    const { asks, leaves } = grow({ bins, borders, slopes, curves, sample, random })
    const says = leafValues(leaves, slopes, curves)
    for (let at = 0; at < scores.length; at++) scores[at] += says[leaves[at]]
    trees.push({ asks, says })
  }
  return trees
}

/** Every page counts about the same, and in it every word. */
function weightsOf({ sizes, wanted }) {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return sizes.map((size) => (100 * size) / (wanted + 0.35 * total + 30))
}

function bordersOf(rows, feature) {
  const values = rows
    .filter((_, at) => at % 17 === 0)
    .map((row) => row[feature])
    .sort((a, b) => a - b)
  const different = [...new Set(values)]
  if (different.length <= BINS) return different.slice(1).map((value, at) => short((value + different[at]) / 2))
  const cuts = Array.from({ length: BINS - 1 }, (_, at) => values[Math.floor(((at + 1) * values.length) / BINS)])
  return [...new Set(cuts.map(short))]
}

function short(value) {
  return Number(value.toPrecision(4))
}

function binOf(value, cuts) {
  let bin = 0
  while (bin < cuts.length && value > cuts[bin]) bin++
  return bin
}

function steps(scores, labels, weights) {
  const slopes = new Float64Array(scores.length)
  const curves = new Float64Array(scores.length)
  for (let at = 0; at < scores.length; at++) {
    const odds = 1 / (1 + Math.exp(-scores[at]))
    slopes[at] = weights[at] * (odds - labels[at])
    curves[at] = weights[at] * Math.max(odds * (1 - odds), 1e-4)
  }
  return { slopes, curves }
}

function grow({ bins, borders, slopes, curves, sample, random }) {
  const leaves = new Uint8Array(slopes.length)
  const asks = []
  for (let depth = 0; depth < DEPTH; depth++) {
    let best = { gain: -1, feature: 0, bin: 0 }
    for (const [feature, own] of bins.entries()) {
      if (borders[feature].length === 0 || random() < FEATURES_SKIPPED) continue
      const found = bestCut({ own, cuts: borders[feature].length, leaves, count: 1 << depth, slopes, curves, sample })
      if (found.gain > best.gain) best = { ...found, feature }
    }
    asks.push({ feature: best.feature, border: borders[best.feature][best.bin] })
    const own = bins[best.feature]
    for (let at = 0; at < leaves.length; at++) if (own[at] > best.bin) leaves[at] |= 1 << depth
  }
  return { asks, leaves }
}

function bestCut({ own, cuts, leaves, count, slopes, curves, sample }) {
  const slope = new Float64Array(count * BINS)
  const curve = new Float64Array(count * BINS)
  for (const at of sample) {
    const place = leaves[at] * BINS + own[at]
    slope[place] += slopes[at]
    curve[place] += curves[at]
  }
  const sum = (values, leaf) =>
    values.subarray(leaf * BINS, (leaf + 1) * BINS).reduce((total, value) => total + value, 0)
  const all = Array.from({ length: count }, (_, leaf) => ({ slope: sum(slope, leaf), curve: sum(curve, leaf) }))
  const left = all.map(() => ({ slope: 0, curve: 0 }))
  let best = { gain: -1, bin: 0 }
  for (let bin = 0; bin < cuts; bin++) {
    let gain = 0
    for (const [leaf, below] of left.entries()) {
      below.slope += slope[leaf * BINS + bin]
      below.curve += curve[leaf * BINS + bin]
      const rest = all[leaf].slope - below.slope
      gain += below.slope ** 2 / (below.curve + CAUTION) + rest ** 2 / (all[leaf].curve - below.curve + CAUTION)
    }
    if (gain > best.gain) best = { gain, bin }
  }
  return best
}

function leafValues(leaves, slopes, curves) {
  const slope = new Float64Array(1 << DEPTH)
  const curve = new Float64Array(1 << DEPTH)
  for (let at = 0; at < leaves.length; at++) {
    slope[leaves[at]] += slopes[at]
    curve[leaves[at]] += curves[at]
  }
  return Array.from(slope, (value, leaf) => Number(((-RATE * value) / (curve[leaf] + 2 * CAUTION)).toFixed(3)))
}

/** The same pages teach the same. */
function randomFrom(seed) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
