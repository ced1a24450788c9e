// Reads further pages of a list until it contains what a link has opened, so that the list can show it. Used by calls.tsx
// and tasks.tsx. Requests pages through the list.

import { useEffect, useRef } from 'preact/hooks'

/** What is open may be older than all that can be read, or not be in the list at all. */
const MAX_PAGES = 10

interface OpenedItem {
  /** Undefined: nothing is open. */
  readonly key: string | undefined
  readonly isListed: boolean
  /** Items that were read so far. */
  readonly count: number
  /** Undefined while a page is read, and at the end. */
  readonly loadMore: (() => void) | undefined
}

export function useLoadUntilListed({ key, isListed, count, loadMore }: OpenedItem): void {
  const loads = useRef({ key, left: MAX_PAGES })
  if (loads.current.key !== key) loads.current = { key, left: MAX_PAGES }
  useEffect(() => {
    if (key === undefined || isListed || loadMore === undefined || loads.current.left === 0) return
    loads.current.left -= 1
    loadMore()
  }, [key, isListed, count, loadMore === undefined])
}
