// Hook that finds a text in an element and marks what it finds, without changing the document: output of several hundred
// kilobytes stays as it is. Used by the output of a job. Registers highlights; scrolls.

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

import { foldCase } from '../i18n/fold-case.js'
import type { JobOutputPart } from './use-job-output.js'

/** Found at most; those after them are not counted. */
export const MAX_FOUND = 5000
/** Between two searches in output that grows. */
const PAUSE_MS = 200
const FOUND = 'found'
const CURRENT = 'found-current'

export type SearchStep = 1 | -1

export interface OutputSearch {
  readonly count: number
  /** From 0; -1 if there is nothing. */
  readonly current: number
  /** To the next, or with -1 to the one before; from the last to the first. */
  readonly move: (step: SearchStep) => void
}

/** Another part was asked for, because it has a match: its first one becomes the current one, or with -1 its last one. */
export interface SearchLanding {
  readonly step: SearchStep
  /** Where the part that was shown before begins. */
  readonly leftFrom: number
}

interface FoundTexts {
  readonly ranges: readonly StaticRange[]
  readonly current: number
}

const NOTHING: FoundTexts = { ranges: [], current: -1 }

/** The element shows the part. */
export function useOutputSearch(
  box: RefObject<HTMLElement | null>,
  query: string,
  part: JobOutputPart | undefined,
  landing: { current: SearchLanding | undefined },
): OutputSearch {
  const [found, setFound] = useState(NOTHING)
  const isMoved = useRef(false)
  const find = (): readonly StaticRange[] =>
    box.current === null || query === '' ? [] : findRanges(box.current, query)
  // At once, so that a key that follows moves within what was found.
  useLayoutEffect(() => {
    const ranges = find()
    // A new search begins at the end, which is what a person looks at.
    setFound({ ranges, current: ranges.length - 1 })
  }, [box, query])
  useEffect(() => {
    if (query === '') return undefined
    const timer = setTimeout(() => {
      const ranges = find()
      const landed = landing.current !== undefined && findLanded(landing.current, part, ranges.length)
      if (landed !== false) {
        landing.current = undefined
        isMoved.current = true
      }
      const keep = (current: number): number => Math.min(Math.max(current, 0), ranges.length - 1)
      setFound(({ current }) => ({ ranges, current: landed === false ? keep(current) : landed }))
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [part, query])

  useEffect(() => {
    highlight(found)
    return () => highlight(NOTHING)
  }, [found])

  const { ranges, current } = found
  const shown = ranges[current]
  useEffect(() => {
    if (isMoved.current && shown !== undefined) scrollTo(shown)
    isMoved.current = false
  }, [shown])
  const lastQuery = useRef('')
  if (lastQuery.current !== query) isMoved.current = true
  lastQuery.current = query

  return {
    count: ranges.length,
    current,
    move(step) {
      if (ranges.length === 0) return
      isMoved.current = true
      setFound({ ranges, current: (current + step + ranges.length) % ranges.length })
    },
  }
}

/** False: what was asked for is not shown yet. */
function findLanded({ step, leftFrom }: SearchLanding, part: JobOutputPart | undefined, count: number): number | false {
  if (part === undefined || part.from === leftFrom) return false
  if (step === 1) return count > 0 || part.isLast ? Math.min(0, count - 1) : false
  return part.isLast || part.next >= part.size ? count - 1 : false
}

interface TextPosition {
  readonly node: Text
  readonly from: number
}

function findRanges(box: HTMLElement, query: string): readonly StaticRange[] {
  const { text, nodes } = readTexts(box)
  const [inText, wanted] = [foldCase(text), foldCase(query)]
  const ranges: StaticRange[] = []
  let node = 0
  for (let at = inText.indexOf(wanted); at !== -1 && ranges.length < MAX_FOUND;) {
    const end = at + wanted.length
    while (node + 1 < nodes.length && (nodes[node + 1]?.from ?? Infinity) <= at) node++
    let last = node
    while (last + 1 < nodes.length && (nodes[last + 1]?.from ?? Infinity) < end) last++
    const [first, final] = [nodes[node], nodes[last]]
    if (first && final)
      ranges.push(
        new StaticRange({
          startContainer: first.node,
          startOffset: at - first.from,
          endContainer: final.node,
          endOffset: end - final.from,
        }),
      )
    at = inText.indexOf(wanted, end)
  }
  return ranges
}

function readTexts(box: HTMLElement): { readonly text: string; readonly nodes: readonly TextPosition[] } {
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  const nodes: TextPosition[] = []
  const texts: string[] = []
  let from = 0
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue
    nodes.push({ node, from })
    texts.push(node.data)
    from += node.data.length
  }
  return { text: texts.join(''), nodes }
}

/** Older browsers mark nothing; the current one is scrolled to all the same. */
function highlight({ ranges, current }: FoundTexts): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.set(FOUND, new Highlight(...ranges))
  const shown = ranges[current]
  CSS.highlights.set(CURRENT, new Highlight(...(shown === undefined ? [] : [shown])))
}

function scrollTo({ startContainer, startOffset, endContainer, endOffset }: StaticRange): void {
  const range = document.createRange()
  try {
    range.setStart(startContainer, startOffset)
    range.setEnd(endContainer, endOffset)
  } catch {
    // The text has changed since.
    return
  }
  const box = startContainer.parentElement?.closest('pre')
  const place = range.getBoundingClientRect()
  const frame = box?.getBoundingClientRect()
  if (!box || !frame) return
  box.scrollTop += place.top - frame.top - frame.height / 2
  if (place.left < frame.left || place.right > frame.right) box.scrollLeft += place.left - frame.left - frame.width / 2
}
