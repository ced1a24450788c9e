// The cheap way to a document, without a browser: Markdown where the server has it, the page's own twin in Markdown where
// it names one, else its HTML. Whoever sends the reader on is followed.

import { Failure } from '../../lib/failure.js'
import { isHtml, type Copy } from './copy.js'
import type { Kept } from './page-cache.js'
import { examine, readingName, type Trip } from './trip.js'
import { framesOf } from './frames.js'
import { likelyTwin, twinOf } from './twin.js'

const MAX_REFRESHES = 2
const NOT_ACCEPTABLE = 406
/** A page that sends the reader on has little to say itself. */
const REFRESH_CHARS = 1500
const MIN_TWIN_CHARS = 50
/** The page itself is there already. */
const TWIN_MS = 8000

/** `answer`: what the server has already said to that address. */
export async function readPlainPage(trip: Trip, answer?: Copy): Promise<Kept> {
  const { ask, taste, signal, wish } = trip
  let copy = answer ?? (await ask(wish.url, { taste, signal }))
  if (copy.status === NOT_ACCEPTABLE) copy = await ask(wish.url, { taste: 'page', signal })
  for (let hops = 0; ; hops++) {
    const twin = isWhole(copy) && (await readTwin(trip, twinOf(copy)))
    if (twin) return twin
    const kept = await examine(copy, trip)
    const onward = refreshOf(kept, trip)
    if (onward === '') return withFrames((isPoor(kept) && (await readTwin(trip, likelyTwin(copy.url)))) || kept)
    if (hops === MAX_REFRESHES) return endless(kept, onward)
    try {
      copy = await ask(onward, { taste, signal })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { ...kept, notes: [`It sends its readers on to ${onward}, which could not be had: ${error.message}`] }
    }
  }
}

function endless(kept: Kept, onward: string): Kept {
  const seen = `It only sends its readers on and on, at last to ${onward}. Give the address that it should lead to, if you know it.`
  return { ...kept, verdict: { status: 'empty', seen, scripts: 'no' } }
}

/** A page in frames has no text of its own. */
function withFrames(kept: Kept): Kept {
  const frames = framesOf(kept.copy, kept.verdict.status === 'empty')
  if (frames.length === 0) return kept
  return { ...kept, notes: [...kept.notes, `The page consists of frames. Read one of them: ${frames.join(' ')}`] }
}

function isWhole(copy: Copy): boolean {
  return copy.status === 200 && isHtml(copy)
}

function isPoor({ verdict }: Kept): boolean {
  return verdict.status === 'needs_javascript' || verdict.status === 'empty'
}

function refreshOf({ copy, readings }: Kept, { wish }: Trip): string {
  const prepared = readings.get(readingName(wish))
  if (!prepared || prepared.content.length > REFRESH_CHARS) return ''
  const { refreshTo } = prepared.reading.evidence
  return refreshTo === copy.url ? '' : refreshTo
}

/** Nothing where there is none, or it is no Markdown after all: then the page itself is read. */
async function readTwin(trip: Trip, address: string | undefined): Promise<Kept | undefined> {
  if (address === undefined || trip.taste !== 'markdown') return undefined
  try {
    const copy = await trip.ask(address, { taste: 'markdown', way: 'twin', timeoutMs: TWIN_MS, signal: trip.signal })
    if (copy.status !== 200 || !/^text\/((x-)?markdown|plain)\b/i.test(copy.contentType) || looksLikeHtml(copy))
      return undefined
    const kept = await examine(copy, trip)
    const chars = kept.readings.get(readingName(trip.wish))?.content.length ?? 0
    return kept.verdict.status === 'ok' && chars >= MIN_TWIN_CHARS ? kept : undefined
  } catch (error) {
    if (!(error instanceof Failure) || trip.signal.aborted) throw error
    return undefined
  }
}

function looksLikeHtml({ bytes }: Copy): boolean {
  return /^\s*<(!doctype|html|head|body)\b/i.test(bytes.subarray(0, 500).toString('latin1'))
}
