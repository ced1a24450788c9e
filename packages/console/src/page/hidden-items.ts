// Entries that the user has hidden from Home, remembered in this browser. Used by Home and by its count in the navigation.
// Reads and writes localStorage.

import { useEffect, useReducer } from 'preact/hooks'

const STORAGE_KEY = 'hidden'
/** The oldest are shown again; most of them do not exist any more. */
const MAX_HIDDEN = 500

export interface HiddenItems {
  readonly isHidden: (key: string) => boolean
  readonly hide: (keys: readonly string[]) => void
}

/** Undefined before it was read. */
let hidden: ReadonlySet<string> | undefined
const listeners = new Set<() => void>()

export function useHiddenItems(): HiddenItems {
  const [, update] = useReducer<number, void>((count) => count + 1, 0)
  useEffect(() => {
    const listener = (): void => update()
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  const shown = (hidden ??= new Set(readHidden()))
  return { isHidden: (key) => shown.has(key), hide }
}

function hide(keys: readonly string[]): void {
  // Another tab may have hidden others.
  const all = [...new Set([...readHidden(), ...(hidden ?? []), ...keys])].slice(-MAX_HIDDEN)
  hidden = new Set(all)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(all))
  } catch {
    // They are shown again when the page is loaded.
  }
  for (const listener of listeners) listener()
}

function readHidden(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}
