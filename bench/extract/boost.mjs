// Gradient boosting on the logistic loss. Each tree has one condition per level, the same for all its branches.

const TREES = 100
const DEPTH = 5
const RATE = 0.15
/** Added to the curvature of each leaf. */
const REGULARIZATION = 3
const BINS = 32
/** Shares of the rows that each tree uses, and of the features that each level skips. */
const ROW_SHARE = 0.5
const SKIPPED_FEATURE_SHARE = 0.3

export function scoreRow(trees, row) {
  let sum = 0
  for (const { conditions, leafValues } of trees) {
    let leaf = 0
    for (const [depth, { feature, threshold }] of conditions.entries()) if (row[feature] > threshold) leaf |= 1 << depth
    sum += leafValues[leaf]
  }
  return sum
}

/** `which` names the rows to train on: `withoutBaselines` or `withBaselines`. */
export function boost(pages, which) {
  const rows = pages.flatMap((page) => page[which])
  const labels = Float64Array.from(pages.flatMap((page) => page.labels))
  const weights = Float64Array.from(pages.flatMap(weightsOf))
  const thresholds = Array.from({ length: rows[0].length }, (_, feature) => thresholdsOf(rows, feature))
  const bins = thresholds.map((cuts, feature) => Uint8Array.from(rows, (row) => binOf(row[feature], cuts)))
  const scores = new Float64Array(rows.length)
  const random = createRandom(7)
  const trees = []
  for (let round = 0; round < TREES; round++) {
    const { gradients, curvatures } = computeDerivatives(scores, labels, weights)
    const sample = Int32Array.from(rows.keys()).filter(() => random() < ROW_SHARE)
    const { conditions, leaves } = growTree({ bins, thresholds, gradients, curvatures, sample, random })
    const leafValues = computeLeafValues(leaves, gradients, curvatures)
    for (let at = 0; at < scores.length; at++) scores[at] += leafValues[leaves[at]]
    trees.push({ conditions, leafValues })
  }
  return trees
}

/** Each page has about the same weight, and each word in it. */
function weightsOf({ sizes, wanted }) {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return sizes.map((size) => (100 * size) / (wanted + 0.35 * total + 30))
}

function thresholdsOf(rows, feature) {
  const values = rows
    .filter((_, at) => at % 17 === 0)
    .map((row) => row[feature])
    .sort((a, b) => a - b)
  const distinct = [...new Set(values)]
  if (distinct.length <= BINS) return distinct.slice(1).map((value, at) => roundThreshold((value + distinct[at]) / 2))
  const cuts = Array.from({ length: BINS - 1 }, (_, at) => values[Math.floor(((at + 1) * values.length) / BINS)])
  return [...new Set(cuts.map(roundThreshold))]
}

function roundThreshold(value) {
  return Number(value.toPrecision(4))
}

function binOf(value, cuts) {
  let bin = 0
  while (bin < cuts.length && value > cuts[bin]) bin++
  return bin
}

function computeDerivatives(scores, labels, weights) {
  const gradients = new Float64Array(scores.length)
  const curvatures = new Float64Array(scores.length)
  for (let at = 0; at < scores.length; at++) {
    const probability = 1 / (1 + Math.exp(-scores[at]))
    gradients[at] = weights[at] * (probability - labels[at])
    curvatures[at] = weights[at] * Math.max(probability * (1 - probability), 1e-4)
  }
  return { gradients, curvatures }
}

function growTree({ bins, thresholds, gradients, curvatures, sample, random }) {
  const leaves = new Uint8Array(gradients.length)
  const conditions = []
  for (let depth = 0; depth < DEPTH; depth++) {
    let best = { gain: -1, feature: 0, bin: 0 }
    for (const [feature, own] of bins.entries()) {
      if (thresholds[feature].length === 0 || random() < SKIPPED_FEATURE_SHARE) continue
      const found = bestCut({
        own,
        cuts: thresholds[feature].length,
        leaves,
        count: 1 << depth,
        gradients,
        curvatures,
        sample,
      })
      if (found.gain > best.gain) best = { ...found, feature }
    }
    conditions.push({ feature: best.feature, threshold: thresholds[best.feature][best.bin] })
    const own = bins[best.feature]
    for (let at = 0; at < leaves.length; at++) if (own[at] > best.bin) leaves[at] |= 1 << depth
  }
  return { conditions, leaves }
}

function bestCut({ own, cuts, leaves, count, gradients, curvatures, sample }) {
  const gradient = new Float64Array(count * BINS)
  const curvature = new Float64Array(count * BINS)
  for (const at of sample) {
    const place = leaves[at] * BINS + own[at]
    gradient[place] += gradients[at]
    curvature[place] += curvatures[at]
  }
  const sum = (values, leaf) =>
    values.subarray(leaf * BINS, (leaf + 1) * BINS).reduce((total, value) => total + value, 0)
  const all = Array.from({ length: count }, (_, leaf) => ({
    gradient: sum(gradient, leaf),
    curvature: sum(curvature, leaf),
  }))
  const left = all.map(() => ({ gradient: 0, curvature: 0 }))
  let best = { gain: -1, bin: 0 }
  for (let bin = 0; bin < cuts; bin++) {
    let gain = 0
    for (const [leaf, below] of left.entries()) {
      below.gradient += gradient[leaf * BINS + bin]
      below.curvature += curvature[leaf * BINS + bin]
      const rest = all[leaf].gradient - below.gradient
      gain +=
        below.gradient ** 2 / (below.curvature + REGULARIZATION) +
        rest ** 2 / (all[leaf].curvature - below.curvature + REGULARIZATION)
    }
    if (gain > best.gain) best = { gain, bin }
  }
  return best
}

function computeLeafValues(leaves, gradients, curvatures) {
  const gradient = new Float64Array(1 << DEPTH)
  const curvature = new Float64Array(1 << DEPTH)
  for (let at = 0; at < leaves.length; at++) {
    gradient[leaves[at]] += gradients[at]
    curvature[leaves[at]] += curvatures[at]
  }
  return Array.from(gradient, (value, leaf) =>
    Number(((-RATE * value) / (curvature[leaf] + 2 * REGULARIZATION)).toFixed(3)),
  )
}

/** The same seed returns the same numbers. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
