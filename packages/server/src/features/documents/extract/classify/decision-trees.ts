// A model of gradient-boosted decision trees: parses it and scores rows of features. As text, one tree per line in
// preorder: a condition (feature index > threshold), then the subtree if it is false, then the subtree if it is true. A
// number alone is a leaf value, in hundredths. Used by block-classifier and the training export. Pure.

/** The nodes of all trees, one tree after the other. */
export interface TreeModel {
  /** The first node of each tree. */
  readonly roots: Int32Array
  /** The feature of each node; -1 for a leaf. */
  readonly features: Int16Array
  /** The threshold of a condition, or the value of a leaf. */
  readonly values: Float64Array
  /** The node if the condition is true; otherwise the next node follows. */
  readonly trueNodes: Int32Array
}

export function parseModel(text: string): TreeModel {
  const trees = text
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const count = trees.reduce((sum, { length }) => sum + length, 0)
  const roots = new Int32Array(trees.length)
  const model = { features: new Int16Array(count), values: new Float64Array(count), trueNodes: new Int32Array(count) }
  let first = 0
  for (const [at, nodes] of trees.entries()) {
    roots[at] = first
    parseTree(nodes, first, model)
    first += nodes.length
  }
  return { roots, ...model }
}

function parseTree(
  nodes: readonly string[],
  first: number,
  { features, values, trueNodes }: Omit<TreeModel, 'roots'>,
): void {
  const openConditions: number[] = []
  for (const [offset, node] of nodes.entries()) {
    const at = first + offset
    const [feature = '', threshold] = node.split('>')
    if (threshold !== undefined) {
      features[at] = Number(feature)
      values[at] = Number(threshold)
      openConditions.push(at)
      continue
    }
    features[at] = -1
    values[at] = Number(feature) / 100
    // A leaf completes the false subtree of the last open condition.
    const condition = openConditions.pop()
    if (condition !== undefined) trueNodes[condition] = at + 1
  }
}

/** The sum of the leaf values, for each row. */
export function scoreRows(
  { roots, features, values, trueNodes }: TreeModel,
  rows: readonly Float64Array[],
): Float64Array {
  return Float64Array.from(rows, (row) => {
    let sum = 0
    for (let tree = 0; tree < roots.length; tree++) {
      let node = roots[tree] ?? 0
      for (let feature = features[node] ?? -1; feature !== -1; feature = features[node] ?? -1)
        node = (row[feature] ?? 0) > (values[node] ?? 0) ? (trueNodes[node] ?? 0) : node + 1
      sum += values[node] ?? 0
    }
    return sum
  })
}

/** Joins the features of several modules, because a model reads one row per block. */
export function joinRows(...parts: readonly (readonly Float64Array[])[]): Float64Array[] {
  const [first = []] = parts
  const width = parts.reduce((sum, rows) => sum + (rows[0]?.length ?? 0), 0)
  return first.map((_, at) => {
    const joined = new Float64Array(width)
    let offset = 0
    for (const rows of parts) {
      const row = rows[at] ?? new Float64Array(0)
      joined.set(row, offset)
      offset += row.length
    }
    return joined
  })
}
