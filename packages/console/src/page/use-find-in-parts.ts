// Hook that searches the parts of a job's output that are not shown. The server reads them; a search is dropped when it is
// not wanted any more. Used by output-search.tsx. Requests go through use-console; sets timers.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { FoundPart, JobView, OutputOffset } from '../view.js'
import { type ActionResult, toActionError } from './api.js'
import { type FetchJobOutput, useFetchJobOutput } from './use-console.js'
import type { JobOutputPart } from './use-job-output.js'
import type { SearchStep } from './use-output-search.js'

/** After the last letter. */
const PAUSE_MS = 300

export interface PartSearch {
  readonly state: 'idle' | 'searching' | 'found' | 'none'
  readonly refused: ActionResult | undefined
  /** The next part that has a match, from the shown one on and around the ends; null if there is none. */
  readonly find: (step: SearchStep) => Promise<OutputOffset | null>
}

/** `isMissing`: the shown part has no match, so it is looked whether another one has. */
export function useFindInParts(
  { server, id }: JobView,
  part: JobOutputPart | undefined,
  query: string,
  isMissing: boolean,
): PartSearch {
  const read = useFetchJobOutput()
  const [state, setState] = useState<PartSearch['state']>('idle')
  const [refused, setRefused] = useState<ActionResult>()
  const running = useRef<AbortController | undefined>(undefined)
  const shown = useRef(part)
  shown.current = part

  const find = async (step: SearchStep): Promise<OutputOffset | null> => {
    running.current?.abort()
    const stopping = new AbortController()
    const { signal } = stopping
    running.current = stopping
    if (shown.current === undefined || query === '') return null
    setState('searching')
    setRefused(undefined)
    const outcome = await findElsewhere(read, { server, id, query }, shown.current, step, signal)
    if (signal.aborted) return null
    const isRefused = outcome !== null && 'ok' in outcome
    setRefused(isRefused ? outcome : undefined)
    setState(isRefused ? 'idle' : outcome === null ? 'none' : 'found')
    return isRefused ? null : outcome
  }

  useEffect(() => {
    setState('idle')
    setRefused(undefined)
    return () => running.current?.abort()
  }, [query])
  const from = part?.from
  useEffect(() => {
    if (!isMissing || query === '' || from === undefined) return undefined
    setState('searching')
    // A person looks at the end first.
    const timer = setTimeout(() => void find(-1), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.current?.abort()
      setState('idle')
    }
  }, [isMissing, query, from])

  return { state, refused, find }
}

async function findElsewhere(
  read: FetchJobOutput,
  body: object,
  part: JobOutputPart,
  step: SearchStep,
  signal: AbortSignal,
): Promise<OutputOffset | null | ActionResult> {
  const { from, next, size } = part
  const search = (start: OutputOffset, isWanted: (position: OutputOffset) => boolean) =>
    findFrom(start, isWanted, (position) => requestFind(read, { ...body, ...position }, signal))
  const found = await search(step === 1 ? { from: next } : { before: from }, () => true)
  return found ?? search(step === 1 ? { from: 0 } : { before: size }, (position) => isBeyond(position, part))
}

async function findFrom(
  start: OutputOffset,
  isWanted: (position: OutputOffset) => boolean,
  request: (position: OutputOffset) => Promise<FoundPart | ActionResult>,
): Promise<OutputOffset | null | ActionResult> {
  for (let position: OutputOffset | null = start; position !== null && isWanted(position);) {
    const outcome = await request(position)
    if ('ok' in outcome) return outcome
    if (outcome.found !== null) return isWanted(outcome.found) ? outcome.found : null
    position = outcome.next
  }
  return null
}

/** The search has gone around an end, and has not reached the shown part again. */
function isBeyond(position: OutputOffset, { from, next }: JobOutputPart): boolean {
  return 'from' in position ? position.from < from : position.before > next
}

async function requestFind(read: FetchJobOutput, body: object, signal: AbortSignal): Promise<FoundPart | ActionResult> {
  try {
    const response = await read('find', body, signal)
    if (!response.ok) return await toActionError(response)
    const value: unknown = await response.json()
    return isFoundPart(value) ? value : { found: null, next: null }
  } catch {
    return { ok: false, status: 0, message: null }
  }
}

/** Comes from our own server, so a shallow check is enough. */
function isFoundPart(value: unknown): value is FoundPart {
  return typeof value === 'object' && value !== null && 'found' in value && 'next' in value
}
