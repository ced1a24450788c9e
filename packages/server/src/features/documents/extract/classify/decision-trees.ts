// A model of gradient-boosted decision trees. As text, one tree per line in preorder: a condition (feature index > threshold),
// then the subtree if it is false, then the subtree if it is true. A number alone is a leaf value, in hundredths.

interface DecisionTree {
  /** The feature of each node; -1 for a leaf. */
  readonly features: Int16Array
  /** The threshold of a condition, or the value of a leaf. */
  readonly values: Float64Array
  /** The node if the condition is true; otherwise the next node follows. */
  readonly trueNodes: Int32Array
}

export function parseModel(text: string): readonly DecisionTree[] {
  return text.trim().split('\n').map(parseTree)
}

function parseTree(line: string): DecisionTree {
  const nodes = line.split(' ')
  const features = new Int16Array(nodes.length)
  const values = new Float64Array(nodes.length)
  const trueNodes = new Int32Array(nodes.length)
  const openConditions: number[] = []
  for (const [at, node] of nodes.entries()) {
    const [first = '', threshold] = node.split('>')
    if (threshold !== undefined) {
      features[at] = Number(first)
      values[at] = Number(threshold)
      openConditions.push(at)
      continue
    }
    features[at] = -1
    values[at] = Number(first) / 100
    // A leaf completes the false subtree of the last open condition.
    const condition = openConditions.pop()
    if (condition !== undefined) trueNodes[condition] = at + 1
  }
  return { features, values, trueNodes }
}

/** The sum of the leaf values, for each row. */
export function scoreRows(model: readonly DecisionTree[], rows: readonly Float64Array[]): Float64Array {
  return Float64Array.from(rows, (row) => {
    let sum = 0
    for (const { features, values, trueNodes } of model) {
      let node = 0
      for (let feature = features[node] ?? -1; feature !== -1; feature = features[node] ?? -1)
        node = (row[feature] ?? 0) > (values[node] ?? 0) ? (trueNodes[node] ?? 0) : node + 1
      sum += values[node] ?? 0
    }
    return sum
  })
}
