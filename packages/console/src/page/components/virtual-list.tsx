// A long list of which only the rows in sight are in the document. Rows have any height: it is estimated, then measured.
// j, k, arrows, Home and End move the focus from row to row. Used by views with thousands of items. Listens to scrolling
// and resizing; scrolls.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'

import { useKeys } from './keys.js'

interface VirtualListProps<Item> {
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** The content of a row; its first link or button gets the focus. */
  readonly render: (item: Item) => ComponentChildren
  /** Accessible name. */
  readonly label: string
  /** Height of a row that was not measured yet, in pixels. */
  readonly estimate: number
  /** The row that is open: it is scrolled into sight when it is opened, and the keys move from it first. */
  readonly current?: string | undefined
}

/** Pixels above and below the screen that are kept in the document. */
const MARGIN = 400

interface Range {
  readonly from: number
  readonly to: number
}

export function VirtualList<Item>({ items, keyOf, render, label, estimate, current }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const { heights, version, measure } = useRowHeights(items, keyOf)
  const offsets = useMemo(
    () => toOffsets(items, (item) => heights.get(keyOf(item)) ?? estimate),
    [items, version, estimate],
  )
  const { range, top } = useVisibleRange(list, offsets)
  useSteadyRows(list, top, items, keyOf, offsets)
  const [active, setActive] = useState<string>()
  const [wanted, setWanted] = useState<string>()
  // The keys go on from what was opened by a link, also when it is closed again.
  useEffect(() => {
    if (current !== undefined) setActive(current)
  }, [current])
  const activeIndex = items.findIndex((item) => keyOf(item) === (active ?? current))
  useOpenedRow(list, current)

  const move = (to: number): void => {
    const item = items[Math.max(0, Math.min(items.length - 1, to))]
    if (item === undefined) return
    setActive(keyOf(item))
    setWanted(keyOf(item))
  }
  /** The row has to be in the document first. */
  useLayoutEffect(() => {
    if (wanted === undefined) return
    const row = list.current?.querySelector(`:scope > [data-key="${CSS.escape(wanted)}"]`)
    const target = row?.querySelector<HTMLElement>('a, button') ?? null
    row?.scrollIntoView({ block: 'nearest' })
    target?.focus({ preventScroll: true })
    setWanted(undefined)
  }, [wanted])
  useKeys([
    { keys: 'j', label: 'keyNext', run: () => move(activeIndex + 1) },
    { keys: 'k', label: 'keyPrevious', run: () => move(activeIndex - 1) },
  ])

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = keyTarget(event, activeIndex, items.length)
    if (to === undefined) return
    event.preventDefault()
    move(to)
  }

  return (
    <ul
      ref={list}
      class="virtual"
      role="list"
      aria-label={label}
      style={{ blockSize: `${offsets.at(-1) ?? 0}px` }}
      onKeyDown={onKeyDown}
    >
      {shownRows(range, activeIndex, items.length).map((index) => {
        const item = items[index]
        if (item === undefined) return null
        const key = keyOf(item)
        return (
          <li
            key={key}
            ref={measure}
            data-key={key}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${offsets[index] ?? 0}px)` }}
            onFocusIn={() => setActive(key)}
          >
            {render(item)}
          </li>
        )
      })}
    </ul>
  )
}

/** Keys and gestures of a person who scrolls. */
const SCROLL_EVENTS = ['wheel', 'touchmove', 'keydown'] as const
/** Rows that come into the document by the scrolling are measured in the first of these frames, and may move the row. */
const STILL_FRAMES = 5
const MAX_MEASURED_SCREENS = 4

/**
 * Scrolls to the row that a link has opened, when it is listed: once, because later the list must not move by itself, and
 * not if the person has scrolled meanwhile. The active row is always in the document.
 */
function useOpenedRow(list: ListRef, current: string | undefined): void {
  const isWanted = useRef(false)
  const endScrolling = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    if (current === undefined) return undefined
    isWanted.current = true
    const stop = (): void => {
      isWanted.current = false
      endScrolling.current?.()
    }
    for (const name of SCROLL_EVENTS) addEventListener(name, stop, { capture: true, passive: true })
    return () => {
      stop()
      for (const name of SCROLL_EVENTS) removeEventListener(name, stop, { capture: true })
    }
  }, [current])
  useEffect(() => {
    if (!isWanted.current || current === undefined) return
    const row = list.current?.querySelector(`:scope > [data-key="${CSS.escape(current)}"]`) ?? undefined
    // In a list that is not displayed, such as on a phone beside what is open, no row has a height.
    if (row === undefined || row.clientHeight === 0) return
    isWanted.current = false
    endScrolling.current = scrollUntilStill(row)
  })
}

/** Returns a function that ends it. */
function scrollUntilStill(row: Element): () => void {
  const first = row.getBoundingClientRect()
  const block = first.bottom < 0 || first.top > innerHeight ? 'center' : 'nearest'
  let frame = 0
  const scroll = (before: number, stillFrames: number): void => {
    const moved = Math.abs(row.getBoundingClientRect().top - before)
    // No measuring moves a row that far: something else has scrolled, such as the scroll bar.
    if (!row.isConnected || moved > MAX_MEASURED_SCREENS * innerHeight) return
    row.scrollIntoView({ block })
    const { top } = row.getBoundingClientRect()
    const still = moved < 1 && Math.abs(top - before) < 1 ? stillFrames + 1 : 0
    if (still < STILL_FRAMES) frame = requestAnimationFrame(() => scroll(top, still))
  }
  scroll(first.top, 0)
  return () => cancelAnimationFrame(frame)
}

function keyTarget(event: KeyboardEvent, active: number, count: number): number | undefined {
  const { key, ctrlKey, metaKey, altKey, target } = event
  if (ctrlKey || metaKey || altKey) return undefined
  if (target instanceof Element && target.closest('input, textarea, select') !== null) return undefined
  if (key === 'ArrowDown') return active + 1
  if (key === 'ArrowUp') return active - 1
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

/** The active row stays in the document, so that it keeps the focus. */
function shownRows({ from, to }: Range, active: number, count: number): readonly number[] {
  const rows = Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, index) => from + index)
  if (active < 0 || active >= count || (active >= from && active < to)) return rows
  return active < from ? [active, ...rows] : [...rows, active]
}

/** Positions of the rows, and the total height. */
function toOffsets<Item>(items: readonly Item[], heightOf: (item: Item) => number): readonly number[] {
  let sum = 0
  const offsets = items.map((item) => {
    const top = sum
    sum += heightOf(item)
    return top
  })
  return [...offsets, sum]
}

/** The heights that were measured, by key; those of items that are gone are dropped. */
function useRowHeights<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const heights = useRef(new Map<string, number>()).current
  const [version, update] = useReducer((before: number) => before + 1, 0)
  const observer = useRef<ResizeObserver | undefined>(undefined)
  observer.current ??= new ResizeObserver((entries) => {
    let hasChanged = false
    for (const { target, borderBoxSize } of entries) {
      const key = target.getAttribute('data-key')
      const height = borderBoxSize[0]?.blockSize ?? 0
      // In a list that is not displayed no row has a height.
      if (key === null || !target.isConnected || height === 0) continue
      hasChanged ||= Math.abs((heights.get(key) ?? -1) - height) > 0.5
      heights.set(key, height)
    }
    if (hasChanged) update(undefined)
  })
  useEffect(() => () => observer.current?.disconnect(), [])
  useEffect(() => {
    if (heights.size <= items.length * 2 + 100) return
    const known = new Set(items.map(keyOf))
    for (const key of heights.keys()) if (!known.has(key)) heights.delete(key)
  }, [items])
  const measure = useRef((row: HTMLLIElement | null) => {
    if (row === null) return undefined
    observer.current?.observe(row)
    return () => observer.current?.unobserve(row)
  }).current
  return { heights, version, measure }
}

interface ListRef {
  readonly current: HTMLElement | null
}

/** The rows within the screen and a margin, and where the list begins. Any ancestor may scroll. */
function useVisibleRange(list: ListRef, offsets: readonly number[]) {
  const listTop = useRef(0)
  const [range, setRange] = useState<Range>({ from: 0, to: 30 })
  const latest = useRef(offsets)
  latest.current = offsets
  const update = useRef(() => {
    const { top, width } = list.current?.getBoundingClientRect() ?? { top: 0, width: 0 }
    // Not displayed, such as beside what is open on a small screen: it has no position.
    if (width === 0) return
    listTop.current = top
    const from = Math.max(0, findRow(latest.current, -top - MARGIN))
    const to = findRow(latest.current, innerHeight - top + MARGIN) + 1
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }))
  }).current
  useLayoutEffect(update, [offsets.length, offsets.at(-1)])
  useEffect(() => {
    let frame = 0
    const request = (): void => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(update)
    }
    // Captured, because scrolling of an ancestor does not bubble.
    addEventListener('scroll', request, { capture: true, passive: true })
    addEventListener('resize', request)
    const shown = new ResizeObserver(request)
    if (list.current !== null) shown.observe(list.current)
    return () => {
      cancelAnimationFrame(frame)
      shown.disconnect()
      removeEventListener('scroll', request, { capture: true })
      removeEventListener('resize', request)
    }
  }, [])
  return { range, top: listTop }
}

/** Scrolls by as much as rows above the screen turn out higher than estimated, so that what is on the screen stays there. */
function useSteadyRows<Item>(
  list: ListRef,
  listTop: { readonly current: number },
  items: readonly Item[],
  keyOf: (item: Item) => string,
  offsets: readonly number[],
): void {
  const anchor = useRef<{ readonly key: string; readonly offset: number } | undefined>(undefined)
  useLayoutEffect(() => {
    const before = anchor.current
    anchor.current = undefined
    // At its beginning new rows are wanted on the screen.
    if (list.current === null || listTop.current >= 0) return
    const index = before === undefined ? -1 : items.findIndex((item) => keyOf(item) === before.key)
    const moved = index < 0 || before === undefined ? 0 : (offsets[index] ?? 0) - before.offset
    if (Math.abs(moved) >= 1) findScroller(list.current).scrollBy(0, moved)
    const shown = findRow(offsets, moved - listTop.current)
    const item = items[shown]
    if (item !== undefined) anchor.current = { key: keyOf(item), offset: offsets[shown] ?? 0 }
  })
}

function findScroller(element: Element): Element {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const isScrollable = /auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight
    if (isScrollable) return at
  }
  return document.scrollingElement ?? document.documentElement
}

/** The last row that begins at or before a position. */
function findRow(offsets: readonly number[], position: number): number {
  let low = 0
  let high = Math.max(0, offsets.length - 1)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
