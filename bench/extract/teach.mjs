// Trains the models of the extractor on the development half of the WCXB set and writes them into the program's sources.
//   npm run build && node bench/extract/teach.mjs <folder of WCXB> [--lessons file]
// through-tool.mjs --folds measures the result on pages that were not used for training.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { MODEL_DIR } from './fold-build.mjs'
import { HOW_TO_GET_IT, idsOf, isSet } from './pages.mjs'
import { trainModels } from './train.mjs'
import { collectTrainingPages } from './training-pages.mjs'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { lessons: { type: 'string' } } })
const folder = positionals[0] ?? process.env.WCXB_DIR ?? ''
if (!isSet(folder)) {
  process.stderr.write(`${HOW_TO_GET_IT}\n`)
  process.exit(2)
}

const program = await import('../../dist/judge/lesson.mjs')
const pages = await collectTrainingPages(folder, idsOf(folder, 'dev'), values.lessons)
for (const [file, source] of Object.entries(trainModels(pages, program)))
  writeFileSync(new URL(file, MODEL_DIR), source)
