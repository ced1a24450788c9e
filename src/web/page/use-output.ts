// Hook that streams one part of a job's output. Only this part is kept in memory.

import { useEffect, useState } from 'preact/hooks'

import type { JobView, OutputEvent } from '../../services/board/view.js'
import { createEventReader } from './event-stream.js'
import { harmless } from './parts/harmless.js'
import { refusalOf, textOf, type Done } from './server.js'
import { useReadOutput, type ReadOutput } from './use-board.js'

/** Text is kept in blocks, so that existing text is not laid out again when more arrives. */
const BLOCK_LENGTH = 16_384

export interface OutputPart extends Pick<OutputEvent, 'from' | 'next' | 'size' | 'isRunning' | 'isLast' | 'open'> {
  readonly blocks: readonly Block[]
}

/** Text, or the number of missing bytes. */
export type Block = string | number

/** Which part; the last one by default. */
export interface Wanted {
  readonly from?: number
  readonly before?: number
}

export interface Output {
  readonly part: OutputPart | undefined
  readonly refused: Done | undefined
  readonly show: (wanted: Wanted) => void
}

export function useOutput({ server, id }: JobView): Output {
  const read = useReadOutput()
  const [wanted, setWanted] = useState<Wanted>({})
  const [part, setPart] = useState<OutputPart>()
  const [refused, setRefused] = useState<Done>()
  useEffect(() => {
    const abortController = new AbortController()
    setRefused(undefined)
    let current: OutputPart | undefined
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
  read: ReadOutput,
  body: object,
  append: (event: OutputEvent) => void,
  signal: AbortSignal,
): Promise<Done | undefined> {
  try {
    const response = await read('output', body, signal)
    if (!response.ok || response.body === null) return await refusalOf(response)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    const parser = createEventReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { ok: false, status: 0, sentence: null }
      for (const data of parser.read(value)) {
        const event: unknown = JSON.parse(data)
        const error = textOf(event, 'error')
        if (error !== null) return { ok: false, status: response.status, sentence: error }
        if (!isEvent(event)) continue
        append(event)
        if (event.isLast) return undefined
      }
    }
  } catch {
    return { ok: false, status: 0, sentence: null }
  }
}

/** Comes from our own server, so a shallow check is enough. */
function isEvent(value: unknown): value is OutputEvent {
  return typeof value === 'object' && value !== null && 'text' in value && 'open' in value
}

function appendEvent(part: OutputPart | undefined, event: OutputEvent): OutputPart {
  const { from, next, size, isRunning, isLast, missing } = event
  const [text, open] = [harmless(event.text), harmless(event.open)]
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
