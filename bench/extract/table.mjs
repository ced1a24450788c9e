// The scores as a table, beside the figures of others on the development half of the same set.

const TYPES = ['article', 'documentation', 'forum', 'service', 'listing', 'product', 'collection']

/** In thousandths, of the development half. "published" by their authors; the rest run with the same evaluator. */
const PEERS = [
  ['rs-trafilatura (published)', 859, 932, 932, 808, 844, 707, 641, 716],
  ['MinerU-HTML 0.6B (published)', 827, 928, 838, 794, 824, 710, 619, 506],
  ['Trafilatura', 815, 926, 915, 704, 761, 574, 618, 574],
  ['Defuddle 0.19.4', 814, 931, 932, 653, 748, 571, 618, 591],
  ['Readability 0.6.0', 776, 929, 912, 463, 731, 524, 479, 508],
  ['whole body', 689, 800, 811, 460, 670, 587, 401, 471],
]

/** The same, of the test half: only the mean over all pages is known. */
const PEERS_IN_TEST = [
  ['rs-trafilatura (published)', 893],
  ['Defuddle 0.19.4', 864],
  ['Trafilatura', 861],
  ['Readability 0.6.0', 839],
  ['whole body', 722],
]

export function table(scores, split) {
  const mean = (some) => some.reduce((sum, { f1 }) => sum + f1, 0) / some.length
  const ours = [mean(scores), ...TYPES.map((type) => mean(scores.filter((score) => score.type === type)))]
  const peers = split === 'test' ? PEERS_IN_TEST : PEERS
  const rows = [
    [`word F1, ${split}`, 'all', ...TYPES],
    [`ours (${scores.length} pages)`, ...ours.map((value) => value.toFixed(3))],
    ...peers.map(([name, ...values]) => [name, ...values.map((value) => (value / 1000).toFixed(3))]),
  ]
  const lines = rows.map(([name, ...cells]) => name.padEnd(30) + cells.map((cell) => cell.padStart(14)).join(''))
  return `${lines.join('\n')}\n`
}
