// Which tasks of the list are collapsed: their steps are hidden. The choice survives a reload. Used by tasks.tsx. Reads and
// writes localStorage.

import { useState } from 'preact/hooks'

const STORAGE_KEY = 'collapsed-tasks'
/** The oldest are dropped. */
const MAX_KEYS = 500

export interface CollapsedTasks {
  readonly has: (key: string) => boolean
  readonly toggle: (key: string) => void
}

export function useCollapsedTasks(): CollapsedTasks {
  const [keys, setKeys] = useState(readKeys)
  return {
    has: (key) => keys.has(key),
    toggle(key) {
      setKeys(toggleKey(keys, key))
      try {
        // Another tab may have collapsed others.
        localStorage.setItem(STORAGE_KEY, JSON.stringify([...toggleKey(keys, key, readKeys())]))
      } catch {
        // The choice is lost when the page is closed.
      }
    },
  }
}

/** Of `stored`, what `keys` has of the key is changed. */
function toggleKey(keys: ReadonlySet<string>, key: string, stored = keys): ReadonlySet<string> {
  const others = [...stored].filter((each) => each !== key)
  return new Set((keys.has(key) ? others : [...others, key]).slice(-MAX_KEYS))
}

function readKeys(): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return new Set(Array.isArray(value) ? value.filter((key) => typeof key === 'string') : [])
  } catch {
    return new Set()
  }
}
