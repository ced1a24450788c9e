// Previews a job for the console: its last lines as a terminal would show them. Called often, so it reads little.

import { createDigest } from '../shell/digest.js'
import type { Job } from './job.js'
import { withoutHalf } from './lines.js'

const BYTES = 16 * 1024
const LINES = 16
const CHARACTERS = 4000

export async function glimpse(job: Job): Promise<string> {
  await job.flush()
  const end = await job.output.size()
  const start = Math.max(end - BYTES, 0)
  const { from, bytes } = await job.output.read(start, BYTES)
  const renderer = createDigest({ maxCharacters: 2 * BYTES })
  renderer.write(from > 0 ? fromALine(bytes) : bytes)
  renderer.end()
  const lines = renderer.take().text.trimEnd().split('\n').slice(-LINES)
  return cut(lines.join('\n'))
}

/** Drops the first line, which is probably incomplete, unless there is no other. */
function fromALine(bytes: Buffer): Buffer {
  const newline = bytes.indexOf('\n')
  return newline === -1 ? withoutHalf(bytes) : bytes.subarray(newline + 1)
}

function cut(text: string): string {
  return text.length <= CHARACTERS ? text : `…${text.slice(-CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '')}`
}
