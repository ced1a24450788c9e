// Gradient boosting on the logistic loss with histograms. A tree grows leaf by leaf: the split with the highest gain is next.

const BINS = 64
/** Shares of the rows and features that each tree uses. */
const ROW_SHARE = 0.6
const FEATURE_SHARE = 0.5
/** Rows with a weight below this quantile are sampled in proportion to it. */
const SAMPLED_QUANTILE = 0.7

/**
 * `rows`: one Float64Array per block; `labels`: from 0 to 1. The model is a list of trees whose leaf values are added up.
 * `regularization` is added to the curvature of each leaf, which is at least `minCurvature`. The same arguments always return
 * the same model.
 */
export function boost({ rows, labels, weights }, { trees: count, seed, ...options }) {
  const random = createRandom(seed)
  const sample = sampleByWeight(weights, random)
  const thresholds = Array.from(rows[0], (_, feature) => thresholdsOf(rows, sample.rows, feature))
  const data = { ...toBins(rows, sample.rows, thresholds), thresholds }
  const sampleLabels = Float64Array.from(sample.rows, (at) => labels[at])
  const scores = new Float64Array(sample.rows.length)
  const trees = []
  for (let round = 0; round < count; round++) {
    const derivatives = computeDerivatives(scores, sampleLabels, sample.weights)
    const root = growTree(data, derivatives, options, random)
    for (let row = 0; row < scores.length; row++) scores[row] += valueOfBins(root, data, row)
    trees.push(root)
  }
  return trees
}

function sampleByWeight(weights, random) {
  const positive = Float64Array.from(weights.filter((weight) => weight > 0)).sort()
  const limit = positive[Math.floor(positive.length * SAMPLED_QUANTILE)]
  const rows = Int32Array.from(weights.keys()).filter((at) => weights[at] > 0 && random() * limit < weights[at])
  return { rows, weights: Float64Array.from(rows, (at) => Math.max(limit, weights[at])) }
}

function thresholdsOf(rows, sample, feature) {
  const some = sample.filter((_, at) => at % 7 === 0)
  const values = Float64Array.from(some, (at) => rows[at][feature]).sort()
  const distinct = [...new Set(values)]
  const cuts =
    distinct.length <= BINS
      ? distinct.slice(1).map((value, at) => (value + distinct[at]) / 2)
      : Array.from({ length: BINS - 1 }, (_, at) => values[Math.floor(((at + 1) * values.length) / BINS)])
  return Float64Array.from(new Set(cuts.map((value) => Number(value.toPrecision(3))))).sort()
}

/** Row by row, so that the bins of a row are adjacent in memory. */
function toBins(rows, sample, thresholds) {
  const width = thresholds.length
  const bins = new Uint8Array(sample.length * width)
  for (let row = 0; row < sample.length; row++) {
    const values = rows[sample[row]]
    for (let feature = 0; feature < width; feature++)
      bins[row * width + feature] = binOf(values[feature], thresholds[feature])
  }
  return { bins, width, count: sample.length }
}

function binOf(value, thresholds) {
  let low = 0
  let high = thresholds.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (value > thresholds[middle]) low = middle + 1
    else high = middle
  }
  return low
}

function computeDerivatives(scores, labels, weights) {
  const gradients = new Float64Array(scores.length)
  const curvatures = new Float64Array(scores.length)
  for (let row = 0; row < scores.length; row++) {
    const probability = 1 / (1 + Math.exp(-scores[row]))
    gradients[row] = weights[row] * (probability - labels[row])
    curvatures[row] = weights[row] * Math.max(probability * (1 - probability), 1e-4)
  }
  return { gradients, curvatures }
}

function growTree(data, derivatives, options, random) {
  const rows = Int32Array.from({ length: data.count }, (_, row) => row).filter(() => random() < ROW_SHARE)
  const usable = [...data.thresholds.keys()].filter((feature) => data.thresholds[feature].length > 0)
  const features = Int32Array.from(usable.filter(() => random() < FEATURE_SHARE))
  const growing = { data, derivatives, features, options }
  const first = createLeaf(rows, computeHistogram(growing, rows), growing)
  const leaves = [first]
  while (leaves.length < options.leaves) {
    const best = leaves.reduce((one, other) => (other.split.gain > one.split.gain ? other : one))
    if (best.split.gain <= 0) break
    leaves.splice(leaves.indexOf(best), 1, ...splitLeaf(best, growing))
  }
  return first.node
}

function splitLeaf(leaf, growing) {
  const { bins, width, thresholds } = growing.data
  const { feature, bin } = leaf.split
  const isAbove = (row) => bins[row * width + feature] > bin
  const above = leaf.rows.filter(isAbove)
  const below = leaf.rows.filter((row) => !isAbove(row))
  const [small, large] = above.length < below.length ? [above, below] : [below, above]
  const smallHistogram = computeHistogram(growing, small)
  const largeHistogram = leaf.histogram.map((sum, at) => sum - smallHistogram[at])
  const parts = [createLeaf(small, smallHistogram, growing), createLeaf(large, largeHistogram, growing)]
  const [belowLeaf, aboveLeaf] = small === below ? parts : parts.toReversed()
  const threshold = thresholds[feature][bin]
  Object.assign(leaf.node, { feature, bin, threshold, below: belowLeaf.node, above: aboveLeaf.node })
  return parts
}

/** For each bin of each feature the sum of the gradients, then the sum of the curvatures. */
function computeHistogram({ data: { bins, width }, derivatives: { gradients, curvatures }, features }, rows) {
  const sums = new Float64Array(features.length * BINS * 2)
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]
    const gradient = gradients[row]
    const curvature = curvatures[row]
    const offset = row * width
    for (let at = 0; at < features.length; at++) {
      const place = (at * BINS + bins[offset + features[at]]) * 2
      sums[place] += gradient
      sums[place + 1] += curvature
    }
  }
  return sums
}

function createLeaf(rows, histogram, { data: { thresholds }, features, options }) {
  const { rate, regularization, minCurvature } = options
  let gradient = 0
  let curvature = 0
  for (let at = 0; at < BINS * 2; at += 2) {
    gradient += histogram[at]
    curvature += histogram[at + 1]
  }
  const gainOf = (sum, curve) => sum ** 2 / (curve + regularization)
  const split = { gain: 0, feature: 0, bin: 0 }
  for (let at = 0; at < features.length; at++) {
    let gradientBelow = 0
    let curvatureBelow = 0
    for (let bin = 0; bin < thresholds[features[at]].length; bin++) {
      const place = (at * BINS + bin) * 2
      gradientBelow += histogram[place]
      curvatureBelow += histogram[place + 1]
      if (curvatureBelow < minCurvature) continue
      if (curvature - curvatureBelow < minCurvature) break
      const gain =
        gainOf(gradientBelow, curvatureBelow) +
        gainOf(gradient - gradientBelow, curvature - curvatureBelow) -
        gainOf(gradient, curvature)
      if (gain > split.gain) Object.assign(split, { gain, feature: features[at], bin })
    }
  }
  return { rows, histogram, split, node: { value: (-rate * gradient) / (curvature + regularization) } }
}

function valueOfBins(root, { bins, width }, row) {
  let node = root
  while (node.below !== undefined) node = bins[row * width + node.feature] > node.bin ? node.above : node.below
  return node.value
}

/** The same seed returns the same numbers. */
function createRandom(seed) {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
}
