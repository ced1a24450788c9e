// The pages of the development half as training data: the feature rows of their blocks, and which blocks are main content.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

import { labelsOf } from './labels.mjs'
import { readPage } from './pages.mjs'

/** Takes minutes. `cache` names a file that stores the result; delete it when the features change. */
export async function collectTrainingPages(folder, ids, cache) {
  if (cache === undefined) return collect(folder, ids)
  if (!existsSync(cache)) writeFileSync(cache, serialize(await collect(folder, ids)))
  const wanted = new Set(ids)
  return deserialize(readFileSync(cache)).filter(({ id }) => wanted.has(id))
}

async function collect(folder, ids) {
  const { exportTrainingRows } = await import('../../dist/judge/lesson.mjs')
  const { error, log, warn } = console
  // The baselines print messages.
  Object.assign(console, { error() {}, log() {}, warn() {} })
  const pages = ids.map((id) => {
    const { bytes, url, type, reference } = readPage(folder, 'dev', id)
    const { blocks, ...rows } = exportTrainingRows(new TextDecoder().decode(bytes), url)
    return {
      id,
      type,
      site: new URL(url).host,
      ...rows,
      wordCounts: blocks.map(({ wordCount }) => wordCount),
      isHidden: blocks.map(({ isHidden }) => isHidden),
      ...labelsOf(blocks, reference),
    }
  })
  Object.assign(console, { error, log, warn })
  return pages
}
