// Answers the queries that programs send to their terminal: cursor position, device type, status and colours. Without
// an answer some wait for seconds or for good. Searches the output of a job as it arrives. Used by user-jobs. Writes
// the answers to the job's stdin; reads the stored output when the cursor is asked for.

import type { Job } from './job.js'

const ESC = 0x1b
/** Cursor position, status, device attributes, and the colours of text and background. */
const QUERY =
  // oxlint-disable-next-line no-control-regex -- control sequences begin with ESC
  /\u001B(?:\[(?<cursor>\??6n)|\[(?<status>5n)|\[(?<primary>0?c)|\[(?<secondary>>0?c)|\](?<colour>1[01]);\?)/g
/** A query may be split between two chunks. */
const LONGEST_QUERY = 8
/** Further ones are not answered until these are. */
const MAX_PENDING = 64

/** With a newer version than this, editors ask for more and wait for it. */
const ANSWERS = { status: '\u001B[0n', primary: '\u001B[?62;22c', secondary: '\u001B[>0;95;0c' }
/** Light text on black. */
const COLOURS: Readonly<Record<string, string>> = { '10': 'rgb:e5e5/e5e5/e5e5', '11': 'rgb:0000/0000/0000' }

export interface QueryResponder {
  /** Looks for queries in the next output. */
  look(chunk: Buffer): void
  /** The job that the answers are typed into. */
  attach(job: Job): void
}

export function createQueryResponder(): QueryResponder {
  let carried: Buffer = Buffer.alloc(0)
  let offset = 0
  let job: Job | undefined
  const pending: Query[] = []
  let isAnswering = false

  async function answer(query: Query, asked: Job): Promise<void> {
    const reply = query.kind === 'cursor' ? await readCursor(asked, query) : query.reply
    asked.stdin?.write(Buffer.from(reply))
  }

  /** One after the other, in the order of the questions. */
  async function answerPending(): Promise<void> {
    if (isAnswering || !job) return
    isAnswering = true
    for (let next = pending.shift(); next; next = pending.shift()) await answer(next, job).catch(() => undefined)
    isAnswering = false
  }

  return {
    look(chunk) {
      const text = carried.length === 0 ? chunk : Buffer.concat([carried, chunk])
      const start = offset - carried.length
      offset += chunk.length
      const lastEscape = text.lastIndexOf(ESC)
      carried =
        lastEscape >= 0 && text.length - lastEscape < LONGEST_QUERY ? text.subarray(lastEscape) : Buffer.alloc(0)
      if (!text.includes(ESC)) return
      const queries = findQueries(text, start)
      // What is carried over must not be answered twice.
      if (queries.some(({ end }) => end > start + text.length - carried.length)) carried = Buffer.alloc(0)
      pending.push(...queries.slice(0, MAX_PENDING - pending.length))
      if (pending.length > 0) void answerPending()
    },
    attach(attached) {
      job = attached
      void answerPending()
    },
  }
}

interface Query {
  readonly kind: 'cursor' | 'fixed'
  readonly reply: string
  /** The position after it in the output. */
  readonly end: number
}

function findQueries(bytes: Buffer, start: number): readonly Query[] {
  return [...bytes.toString('latin1').matchAll(QUERY)].map((match): Query => {
    const { cursor, status, primary, secondary, colour } = match.groups ?? {}
    const end = start + match.index + match[0].length
    if (cursor !== undefined) return { kind: 'cursor', reply: cursor.startsWith('?') ? '?' : '', end }
    if (colour !== undefined) return { kind: 'fixed', reply: `\u001B]${colour};${COLOURS[colour]}\u001B\\`, end }
    const name = status !== undefined ? 'status' : primary !== undefined ? 'primary' : 'secondary'
    return { kind: 'fixed', reply: secondary === undefined ? ANSWERS[name] : ANSWERS.secondary, end }
  })
}

async function readCursor(job: Job, { reply, end }: Query): Promise<string> {
  await job.flush()
  const { readCursorAt } = await import('./read-terminal.js')
  const { row, column } = await readCursorAt(job, end)
  return `\u001B[${reply}${row};${column}R`
}
