// Trains the models of the extractor on the development half of the WCXB set and writes them into the program's sources.
//   npm run build && node bench/extract/teach.mjs <folder of WCXB> [--folds 3] [--lessons file]
// With --folds nothing is written: the blocks of each fold are classified by models that were trained on the other folds.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { boost, scoreRow } from './boost.mjs'
import { MODEL_DIR } from './fold-build.mjs'
import { HOW_TO_GET_IT, idsOf, isSet } from './pages.mjs'
import { trainModels } from './train.mjs'
import { collectTrainingPages } from './training-pages.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folds: { type: 'string', default: '0' }, lessons: { type: 'string' } },
})
const folder = positionals[0] ?? process.env.WCXB_DIR ?? ''
if (!isSet(folder)) {
  process.stderr.write(`${HOW_TO_GET_IT}\n`)
  process.exit(2)
}

const pages = await collectTrainingPages(folder, idsOf(folder, 'dev'), values.lessons)

const folds = Number(values.folds)
if (folds > 1) crossValidate()
else {
  for (const [file, source] of Object.entries(trainModels(pages))) writeFileSync(new URL(file, MODEL_DIR), source)
}

function crossValidate() {
  for (const which of ['withoutBaselines', 'withBaselines']) {
    const scores = new Map()
    for (let fold = 0; fold < folds; fold++) {
      const trees = boost(
        pages.filter((_, at) => at % folds !== fold),
        which,
      )
      for (const page of pages.filter((_, at) => at % folds === fold)) {
        const f1 = scoreOf(
          page,
          page[which].map((row) => scoreRow(trees, row) > -0.7),
        )
        for (const name of ['all', page.type]) scores.set(name, [...(scores.get(name) ?? []), f1])
      }
    }
    const means = [...scores].map(
      ([name, all]) => `${name} ${(all.reduce((sum, f1) => sum + f1, 0) / all.length).toFixed(3)}`,
    )
    process.stdout.write(`${which}: ${means.join('  ')}\n`)
  }
}

/** Approximates the F1 of words from the labels. */
function scoreOf({ sizes, labels, wanted }, kept) {
  let size = 0
  let right = 0
  for (const [at, isKept] of kept.entries()) {
    if (!isKept) continue
    size += sizes[at]
    right += sizes[at] * labels[at]
  }
  return wanted + size === 0 ? 1 : (2 * Math.min(right, wanted)) / (wanted + size)
}
