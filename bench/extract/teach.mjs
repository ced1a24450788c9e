// Teaches the judges on the development half of the WCXB set and writes them into src/. Gradient boosting with trees that
// ask the same questions on each level: quick to run, small to keep.
//   npm run build && node bench/extract/teach.mjs <folder of WCXB> [--folds 3]
// With --folds nothing is written: each part of the pages is judged by what was taught on the others.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { boost, opinion } from './boost.mjs'
import { collectLessons } from './lessons.mjs'
import { HOW_TO_GET_IT, idsOf, isSet } from './pages.mjs'
import { trainModels } from './train.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folds: { type: 'string', default: '0' } },
})
const folder = positionals[0] ?? process.env.WCXB_DIR ?? ''
if (!isSet(folder)) {
  process.stderr.write(`${HOW_TO_GET_IT}\n`)
  process.exit(2)
}

const lessons = await collectLessons(folder, idsOf(folder, 'dev'))

const folds = Number(values.folds)
if (folds > 1) crossCheck()
else {
  for (const [file, source] of Object.entries(trainModels(lessons)))
    writeFileSync(new URL(`../../src/services/documents/extract/${file}`, import.meta.url), source)
}

function crossCheck() {
  for (const which of ['alone', 'heard']) {
    const scores = new Map()
    for (let fold = 0; fold < folds; fold++) {
      const trees = boost(
        lessons.filter((_, at) => at % folds !== fold),
        which,
      )
      for (const lesson of lessons.filter((_, at) => at % folds === fold)) {
        const f1 = scoreOf(
          lesson,
          lesson[which].map((row) => opinion(trees, row) > -0.7),
        )
        for (const name of ['all', lesson.type]) scores.set(name, [...(scores.get(name) ?? []), f1])
      }
    }
    const means = [...scores].map(
      ([name, all]) => `${name} ${(all.reduce((sum, f1) => sum + f1, 0) / all.length).toFixed(3)}`,
    )
    process.stdout.write(`${which}: ${means.join('  ')}\n`)
  }
}

/** Near enough to the F1 of words, from the labels alone. */
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
