// Measures ReadDocs as a client gets it: each page of the development half is served over HTTP on loopback, read through
// the real server process, and the text of the result, without header and fence, is compared with the reference.
//   npm run bench:read-docs -- <folder of WCXB> [--folds 5 [--only 1,2]] [--take 100] [--lessons file] [--out results.json]
// With --folds each page is read by a server whose models were trained on the other folds; --only reads some of the folds.
// A call that fails counts as 0.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { buildFold } from './fold-build.mjs'
import { HOW_TO_GET_IT, idsOf, isSet, readPage } from './pages.mjs'
import { openReadDocs } from './read-docs-client.mjs'
import { wordF1 } from './score.mjs'
import { servePages } from './serve-pages.mjs'
import { table } from './table.mjs'
import { trainModels } from './train.mjs'
import { collectTrainingPages } from './training-pages.mjs'

const CONCURRENT = 2
const MAX_TRIES = 5

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folds: { type: 'string', default: '0' },
    only: { type: 'string' },
    take: { type: 'string', default: '0' },
    lessons: { type: 'string' },
    out: { type: 'string' },
  },
})
const folder = positionals[0] ?? process.env.WCXB_DIR ?? ''
if (!isSet(folder)) {
  process.stderr.write(`${HOW_TO_GET_IT}\n`)
  process.exit(2)
}

let repeated = 0
const ids = idsOf(folder, 'dev').slice(0, Number(options.take) || undefined)
const folds = Number(options.folds)
const site = await servePages((id) => readPage(folder, 'dev', id))
const results = folds > 1 ? await crossValidate() : await readAll(ids, undefined)
await site.close()
report()

async function crossValidate() {
  const extractor = await import('../../dist/judge/lesson.mjs')
  const pages = await collectTrainingPages(folder, ids, options.lessons)
  const all = []
  const numbers = options.only?.split(',').map(Number) ?? Array.from({ length: folds }, (_, at) => at + 1)
  for (const number of numbers) {
    const fold = number - 1
    const others = pages.filter((_, at) => at % folds !== fold)
    const models = trainModels(others, extractor)
    const program = await buildFold(models, fold)
    all.push(
      ...(await readAll(
        ids.filter((_, at) => at % folds === fold),
        program,
      )),
    )
    if (options.out !== undefined) writeFileSync(options.out, JSON.stringify(all))
    process.stderr.write(`fold ${number} of ${folds}: mean F1 ${mean(all.map(({ f1 }) => f1)).toFixed(4)} so far\n`)
  }
  return all
}

async function readAll(some, program) {
  const client = await openReadDocs(site.host, program)
  const queue = [...some]
  const done = []
  const work = async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) done.push(await readOne(client, id))
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  await client.close()
  return done
}

async function readOne(client, id) {
  const page = readPage(folder, 'dev', id)
  const address = site.addressOf(page)
  const first = await patientRead(client, { url: address, format: 'text' })
  const texts = [first.text]
  for (let { cursor } = first; cursor !== null && texts.length < 50;) {
    const next = await patientRead(client, { url: address, format: 'text', cursor })
    texts.push(next.text)
    ;({ cursor } = next)
  }
  const { status, isError } = first
  const f1Of = (text) => (isError ? 0 : wordF1(text, page.reference))
  const { overhead } = first
  return { id, type: page.type, status, isError, overhead, f1: f1Of(texts.join('\n')), firstF1: f1Of(first.text) }
}

/** A busy machine may need more than the ten seconds that the program gives a page: such a call is made again. */
async function patientRead(client, args) {
  for (let tries = 1; ; tries++) {
    const result = await client.read(args)
    if (tries === MAX_TRIES || !/took longer than \d+ s/.test(result.problem)) return result
    repeated++
  }
}

function report() {
  const failed = results.filter(({ isError }) => isError)
  const sizes = results.filter(({ isError }) => !isError).map(({ overhead }) => overhead)
  sizes.sort((a, b) => a - b)
  process.stdout.write(table(results, 'dev'))
  process.stdout.write(
    [
      '',
      `through ReadDocs${folds > 1 ? `, ${folds} folds` : ''}: F1 ${mean(results.map(({ f1 }) => f1)).toFixed(4)} with all pages of a result, ${mean(results.map(({ firstF1 }) => firstF1)).toFixed(4)} with the first alone`,
      `failed calls: ${failed.length} of ${results.length}; repeated for the time limit: ${repeated}`,
      ...failed.map(({ id, status }) => `  ${id} ${status}`),
      `header and fence: median ${sizes[Math.floor(sizes.length / 2)]} bytes`,
      '',
    ].join('\n'),
  )
  if (options.out !== undefined) writeFileSync(options.out, JSON.stringify(results))
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
