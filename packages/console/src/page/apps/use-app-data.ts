// Hook that reads data of the server for a view, again and again while it may change. Used by the views in this folder.
// Sets timers; sends requests through the host.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { AppHost } from './app-host.js'

export interface AppDataOptions<T> {
  /** Undefined: nothing is read. */
  readonly uri: string | undefined
  /** Pause between reads; undefined: it is read once. */
  readonly everyMs: number | undefined
  /** It cannot change any more: it is not read again. */
  readonly isFinal?: (data: T) => boolean
  /** Read also while it is out of sight: the server takes the reads as a sign that a person can answer. */
  readonly readsHidden?: boolean
}

export interface AppData<T> {
  readonly data: T | undefined
  /** The last read has failed; it is tried again. */
  readonly isBehind: boolean
  /** Reads it at once, after a change. */
  readonly refresh: () => void
}

/** A hidden page reads less often. */
const HIDDEN_MS = 10_000
const RETRY_MS = 5000

export function useAppData<T>(
  host: AppHost,
  { uri, everyMs, isFinal, readsHidden = false }: AppDataOptions<T>,
  isData: (value: unknown) => value is T,
): AppData<T> {
  const [data, setData] = useState<T>()
  const [isBehind, setBehind] = useState(false)
  const [version, setVersion] = useState(0)
  const isVisible = useIsVisible()
  const checks = useRef({ isData, isFinal })
  checks.current = { isData, isFinal }
  const isPaused = !isVisible && !readsHidden
  useEffect(() => {
    if (uri === undefined || !host.canRead) return undefined
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      const value = await host.read(uri)
      if (!isWanted) return
      const hasFailed = !checks.current.isData(value)
      setBehind(hasFailed)
      if (checks.current.isData(value)) {
        setData(value)
        if (checks.current.isFinal?.(value) === true) return
      }
      const pauseMs = hasFailed ? Math.max(RETRY_MS, everyMs ?? 0) : everyMs
      if (pauseMs !== undefined && !isPaused)
        timer = setTimeout(() => void read(), document.hidden ? HIDDEN_MS : pauseMs)
    }
    void read()
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [host, uri, everyMs, version, isPaused])
  return { data, isBehind, refresh: () => setVersion((before) => before + 1) }
}

/** Whether a part of the frame is on the screen: a chat keeps the views of earlier calls above it. */
function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(true)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setVisible(entries.at(-1)?.isIntersecting !== false))
    observer.observe(document.documentElement)
    return () => observer.disconnect()
  }, [])
  return isVisible
}
