// The last lines of a job as a terminal would show them, read from as little of its output as that takes: somebody who
// looks on is shown this again and again.

import { createDigest } from '../shell/digest.js'
import type { Job } from './job.js'
import { withoutHalf } from './lines.js'

const BYTES = 16 * 1024
const LINES = 16
const CHARACTERS = 4000
const NEWLINE = 10

export async function glimpse(job: Job): Promise<string> {
  await job.flush()
  const end = await job.output.size()
  const start = Math.max(end - BYTES, 0)
  const { from, bytes } = await job.output.read(start, BYTES)
  const digester = createDigest({ maxCharacters: 2 * BYTES })
  digester.write(from > 0 ? fromALine(bytes) : bytes)
  digester.end()
  const lines = digester.take().text.trimEnd().split('\n').slice(-LINES)
  return cut(lines.join('\n'))
}

/** Begun anywhere, the first line is the end of one, unless it is all there is. */
function fromALine(bytes: Buffer): Buffer {
  const first = bytes.indexOf(NEWLINE)
  return first === -1 ? withoutHalf(bytes) : bytes.subarray(first + 1)
}

function cut(text: string): string {
  return text.length <= CHARACTERS ? text : `…${text.slice(-CHARACTERS).replace(/^[\uDC00-\uDFFF]/, '')}`
}
