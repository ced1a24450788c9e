// Hook that streams one part of a job's output. Only this part is kept in memory. Used by the dialog job-output.
// Requests go through use-console.

import { useEffect, useState } from 'preact/hooks'

import type { JobView, OutputEvent } from '../view.js'
import { type ActionResult, textMember, toActionError } from './api.js'
import { stripControls } from './components/strip-controls.js'
import { createSseParser } from './event-connection.js'
import { type FetchJobOutput, useFetchJobOutput } from './use-console.js'

/** Text is kept in blocks, so that existing text is not laid out again when more arrives. */
const BLOCK_LENGTH = 16_384

export interface JobOutputPart extends Pick<OutputEvent, 'from' | 'next' | 'size' | 'isRunning' | 'isLast' | 'open'> {
  readonly blocks: readonly OutputBlock[]
}

/** Text, or the number of missing bytes. */
export type OutputBlock = string | number

/** Which part; the last one by default. */
export interface OutputPartRequest {
  readonly from?: number
  readonly before?: number
}

export interface JobOutputState {
  readonly part: JobOutputPart | undefined
  readonly refused: ActionResult | undefined
  readonly show: (wanted: OutputPartRequest) => void
}

export function useJobOutput({ server, id }: JobView): JobOutputState {
  const read = useFetchJobOutput()
  const [wanted, setWanted] = useState<OutputPartRequest>({})
  const [part, setPart] = useState<JobOutputPart>()
  const [refused, setRefused] = useState<ActionResult>()
  useEffect(() => {
    const abortController = new AbortController()
    setRefused(undefined)
    let current: JobOutputPart | undefined
    const append = (event: OutputEvent): void => {
      if (abortController.signal.aborted) return
      current = appendEvent(current, event)
      setPart(current)
    }
    void streamPart(read, { server, id, ...wanted }, append, abortController.signal).then((outcome) => {
      if (!abortController.signal.aborted) setRefused(outcome)
    })
    return () => abortController.abort()
  }, [read, server, id, wanted])
  return { part, refused, show: setWanted }
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
  const [text, open] = [stripControls(event.text), stripControls(event.open)]
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
