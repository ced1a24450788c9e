// The pages of the development half as training data: the rows of numbers of their blocks, and which blocks were meant.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { deserialize, serialize } from 'node:v8'

import { labelsOf } from './labels.mjs'
import { readPage } from './pages.mjs'

/** Collecting takes minutes: with `cache`, the name of a file, it is done once. The file must go when the features change. */
export async function collectLessons(folder, ids, cache) {
  if (cache === undefined) return collect(folder, ids)
  if (!existsSync(cache)) writeFileSync(cache, serialize(await collect(folder, ids)))
  const wanted = new Set(ids)
  return deserialize(readFileSync(cache)).filter(({ id }) => wanted.has(id))
}

async function collect(folder, ids) {
  const { lessonOf } = await import('../../dist/judge/lesson.mjs')
  const { error, log, warn } = console
  // The libraries print what they think of a page.
  Object.assign(console, { error() {}, log() {}, warn() {} })
  const lessons = ids.map((id) => {
    const { bytes, url, type, reference } = readPage(folder, 'dev', id)
    const lesson = lessonOf(new TextDecoder().decode(bytes), url)
    const { blocks, ...known } = lesson
    return { ...known, id, type, ...labelsOf(blocks, reference) }
  })
  Object.assign(console, { error, log, warn })
  return lessons
}
