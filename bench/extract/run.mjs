// Measures how well the built extractor finds the main part of pages, and how fast: see README.md.
//   npm run bench:extract -- <folder of WCXB> [--split dev|test] [--texts file.json] [--only speed|quality]

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

import { openBuilt } from './built.mjs'
import { HOW_TO_GET_IT, idsOf, isSet, readPage } from './pages.mjs'
import { measureSpeed } from './speed.mjs'
import { wordF1 } from './score.mjs'
import { table } from './table.mjs'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    split: { type: 'string', default: 'dev' },
    texts: { type: 'string' },
    only: { type: 'string', default: 'quality,speed' },
  },
})

const folder = positionals[0] ?? process.env.WCXB_DIR ?? ''
const wanted = options.only.split(',')

if (wanted.includes('speed')) process.stdout.write(measureSpeed())
if (wanted.includes('quality')) {
  if (folder !== '' && isSet(folder)) await measureQuality()
  else {
    process.stderr.write(
      `${folder === '' ? 'No folder of pages was named.' : `${folder} has no WCXB pages.`}\n${HOW_TO_GET_IT}\n`,
    )
    process.exitCode = 2
  }
}

async function measureQuality() {
  const ids = idsOf(folder, options.split)
  const scores = []
  const texts = {}
  const times = []
  const problems = []
  const extractor = await openBuilt()
  const work = async () => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      const { url, bytes, type, reference } = readPage(folder, options.split, id)
      const { reading, problem, ms } = await extractor.read({ url, bytes, format: 'text' })
      texts[id] = reading?.content ?? ''
      times.push(ms)
      if (problem !== undefined) problems.push(`${id}: ${problem}`)
      scores.push({ id, type, f1: wordF1(texts[id], reference) })
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  await extractor.close()
  times.sort((a, b) => a - b)
  const at = (share) => Math.round(times[Math.floor(times.length * share)] ?? 0)
  process.stdout.write(table(scores, options.split))
  process.stdout.write(
    `\nper page: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(0.9999)} ms; ${times.filter((ms) => ms > 10_000).length} above the 10 s at which the program gives up\n`,
  )
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  if (options.texts !== undefined) writeFileSync(options.texts, JSON.stringify(texts))
}
