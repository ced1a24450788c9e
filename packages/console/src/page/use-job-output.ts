// Hook that streams one part of a job's output. Only this part is kept in memory. A stream that is lost is opened again
// after a delay. Used by job-output.tsx. Sends requests through use-console; sets timers.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { JobView, OutputEvent } from '../view.js'
import { type ActionResult, textMember, toActionError } from './api.js'
import { createSseParser } from './event-connection.js'
import { usePageActivity } from './page-activity.js'
import { type FetchJobOutput, useFetchJobOutput } from './use-console.js'
import { useServers } from './use-servers.js'

/** Text is kept in blocks, so that existing text is not laid out again when more arrives. */
const BLOCK_LENGTH = 16_384

export interface JobOutputPart extends Pick<OutputEvent, 'from' | 'next' | 'size' | 'isRunning' | 'isLast' | 'open'> {
  readonly blocks: readonly OutputBlock[]
}

/** Text with SGR sequences, each within one line, or the number of missing bytes. */
export type OutputBlock = string | number

/** Which part; the last one by default. */
export interface OutputPartRequest {
  readonly from?: number
  readonly before?: number
}

export interface JobOutputState {
  readonly part: JobOutputPart | undefined
  /** Why the output cannot be read now; the part is what was read before. */
  readonly refused: ActionResult | undefined
  /** It is tried again after a delay. */
  readonly isRetrying: boolean
  readonly show: (wanted: OutputPartRequest) => void
  /** Tries again at once. */
  readonly reload: () => void
}

interface LostStream {
  readonly refused: ActionResult
  readonly isRetrying: boolean
}

export function useJobOutput({ server, id }: JobView): JobOutputState {
  const read = useFetchJobOutput()
  const { isConnected } = useServers()
  const isShown = usePageActivity() === 'shown'
  const [wanted, setWanted] = useState<OutputPartRequest>({})
  const [part, setPart] = useState<JobOutputPart>()
  const [lost, setLost] = useState<LostStream>()
  const [attempt, setAttempt] = useState(0)
  const shown = useRef<ShownPart | undefined>(undefined)
  useEffect(() => {
    // Without a connection a stream may end without notice: it is opened again with the connection.
    if (!isConnected || !isShown) return undefined
    const abortController = new AbortController()
    const { signal } = abortController
    const before = shown.current
    const isSame = before?.wanted === wanted && before.server === server && before.id === id
    shown.current = isSame ? before : { server, id, wanted, part: undefined }
    setLost(undefined)
    const follow = async (): Promise<void> => {
      for (let failures = 0; ; failures++) {
        const last = shown.current?.part
        const body = { server, id, ...(last === undefined ? wanted : toSamePart(wanted, last)) }
        let hasGrown = false
        const outcome = await streamPart(read, body, createAppender(last, update), signal)
        if (signal.aborted || outcome === undefined) return
        if (hasGrown) failures = 0
        const isRetrying = isTemporary(outcome)
        setLost({ refused: outcome, isRetrying })
        if (!isRetrying) return
        await pause(Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS), signal)

        function update(next: JobOutputPart): void {
          if (signal.aborted) return
          hasGrown = true
          shown.current = { server, id, wanted, part: next }
          setPart(next)
          setLost(undefined)
        }
      }
    }
    void follow()
    return () => abortController.abort()
  }, [read, server, id, wanted, isConnected, isShown, attempt])
  return {
    part,
    refused: lost?.refused,
    isRetrying: lost?.isRetrying === true,
    show: setWanted,
    reload: () => setAttempt((before) => before + 1),
  }
}

/** What is shown, and of which request. */
interface ShownPart {
  readonly server: string
  readonly id: number
  readonly wanted: OutputPartRequest
  readonly part: JobOutputPart | undefined
}

/** The last part is another one meanwhile. */
function toSamePart(wanted: OutputPartRequest, { from }: JobOutputPart): OutputPartRequest {
  return wanted.from === undefined && wanted.before === undefined ? { from } : wanted
}

/**
 * A part that is read again is shown when everything that was shown before has arrived. It begins at the same offset,
 * because rows that may still change, and colours, depend on what was printed before them.
 */
function createAppender(before: JobOutputPart | undefined, update: (part: JobOutputPart) => void) {
  let current: JobOutputPart | undefined
  return (event: OutputEvent): void => {
    current = appendEvent(current, event)
    if (before === undefined || current.isLast || current.next >= before.next) update(current)
  }
}

/** The server is busy, restarts or cannot be reached; otherwise it says the same again. */
function isTemporary(outcome: ActionResult): boolean {
  return !outcome.ok && ![400, 401, 403, 404].includes(outcome.status)
}

const RETRY_MS = 1000
const MAX_RETRY_MS = 15_000

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Undefined if the part is complete. */
async function streamPart(
  read: FetchJobOutput,
  body: object,
  append: (event: OutputEvent) => void,
  signal: AbortSignal,
): Promise<ActionResult | undefined> {
  try {
    const response = await read('output', body, signal)
    if (!response.ok || response.body === null) return await toActionError(response)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const parser = createSseParser()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { ok: false, status: 0, message: null }
      for (const data of parser.push(value)) {
        const event: unknown = JSON.parse(data)
        const error = textMember(event, 'error')
        if (error !== null) return { ok: false, status: response.status, message: error }
        if (!isEvent(event)) continue
        append(event)
        if (event.isLast) return undefined
      }
    }
  } catch {
    return { ok: false, status: 0, message: null }
  }
}

/** Comes from our own server, so a shallow check is enough. */
function isEvent(value: unknown): value is OutputEvent {
  return typeof value === 'object' && value !== null && 'text' in value && 'open' in value
}

function appendEvent(part: JobOutputPart | undefined, event: OutputEvent): JobOutputPart {
  const { from, next, size, isRunning, isLast, missing } = event
  const { text, open } = event
  const blocks = [...(part?.blocks ?? [])]
  if (missing > 0) blocks.push(missing)
  const last = blocks.at(-1)
  const isOpen = typeof last === 'string' && (last.length < BLOCK_LENGTH || !last.endsWith('\n'))
  if (text !== '') {
    const [first = '', ...more] = splitBlocks(isOpen ? `${last}${text}` : text)
    blocks.splice(isOpen ? -1 : blocks.length, isOpen ? 1 : 0, first, ...more)
  }
  return { from, next, size, isRunning, isLast, open, blocks }
}

/** Splits after line breaks. */
function splitBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at + BLOCK_LENGTH) + 1
    blocks.push(end === 0 ? text.slice(at) : text.slice(at, end))
    at = end === 0 ? text.length : end
  }
  return blocks
}
