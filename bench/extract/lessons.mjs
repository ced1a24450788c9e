// The pages of the development half as training data: the rows of numbers of their blocks, and which blocks were meant.

import { labelsOf } from './labels.mjs'
import { readPage } from './pages.mjs'

export async function collectLessons(folder, ids) {
  const { lessonOf } = await import('../../dist/judge/lesson.mjs')
  const { error, log, warn } = console
  // The libraries print what they think of a page.
  Object.assign(console, { error() {}, log() {}, warn() {} })
  const lessons = ids.map((id) => {
    const { bytes, url, type, reference } = readPage(folder, 'dev', id)
    const lesson = lessonOf(new TextDecoder().decode(bytes), url)
    return { ...lesson, id, type, ...labelsOf(lesson.blocks, reference) }
  })
  Object.assign(console, { error, log, warn })
  return lessons
}
