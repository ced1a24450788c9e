// The scores as a table, beside the figures of others on the development half of the same set.

const TYPES = ['article', 'documentation', 'forum', 'service', 'listing', 'product', 'collection']

/** Of the development half. "published" by their authors; the rest run with the same evaluator. */
const PEERS = [
  ['rs-trafilatura (published)', 0.859, 0.932, 0.932, 0.808, 0.844, 0.707, 0.641, 0.716],
  ['MinerU-HTML 0.6B (published)', 0.827, 0.928, 0.838, 0.794, 0.824, 0.71, 0.619, 0.506],
  ['Trafilatura', 0.815, 0.926, 0.915, 0.704, 0.761, 0.574, 0.618, 0.574],
  ['Defuddle 0.19.4', 0.814, 0.931, 0.932, 0.653, 0.748, 0.571, 0.618, 0.591],
  ['Readability 0.6.0', 0.776, 0.929, 0.912, 0.463, 0.731, 0.524, 0.479, 0.508],
  ['whole body', 0.689, 0.8, 0.811, 0.46, 0.67, 0.587, 0.401, 0.471],
]

export function table(scores, split) {
  const mean = (some) => some.reduce((sum, { f1 }) => sum + f1, 0) / some.length
  const ours = [mean(scores), ...TYPES.map((type) => mean(scores.filter((score) => score.type === type)))]
  const rows = [
    ['word F1', 'all', ...TYPES],
    [`ours, ${split} (${scores.length} pages)`, ...ours.map((value) => value.toFixed(3))],
    ...PEERS.map(([name, ...values]) => [`${name}, dev`, ...values.map((value) => value.toFixed(3))]),
  ]
  return (
    rows.map(([name, ...cells]) => `${name.padEnd(34)}${cells.map((cell) => cell.padStart(14)).join('')}`).join('\n') +
    '\n'
  )
}
