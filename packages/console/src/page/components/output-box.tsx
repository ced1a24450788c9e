// A scrollable box for the output of a job. While it is followed it stays at the end; scrolling up stops that, scrolling
// to the end resumes it. Used by the output of a job, on the page and in the chat. Renders and
// scrolls only.

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'

interface OutputBoxProps {
  readonly label: string
  /** Changes with the output. */
  readonly version: unknown
  /** Where the shown part begins; another part is shown from its top, unless it is followed. */
  readonly from: number
  readonly box: RefObject<HTMLPreElement | null>
  readonly isFollowed: boolean
  readonly setFollowed: (isFollowed: boolean) => void
  /** Long lines are wrapped. */
  readonly isWrapped: boolean
  readonly children: ComponentChildren
}

/** Pixels from the end that count as the end. */
const END_MARGIN = 8

export function OutputBox({ label, version, from, box, isFollowed, setFollowed, isWrapped, children }: OutputBoxProps) {
  useLayoutEffect(() => {
    if (box.current !== null && isFollowed) box.current.scrollTop = box.current.scrollHeight
  }, [version, isFollowed, isWrapped, box])
  useLayoutEffect(() => {
    if (box.current !== null && !isFollowed) box.current.scrollTop = 0
  }, [from, box])
  // Lines that are wrapped anew have another height.
  useEffect(() => {
    const shown = box.current
    if (shown === null || !isFollowed) return undefined
    const observer = new ResizeObserver(() => (shown.scrollTop = shown.scrollHeight))
    observer.observe(shown)
    return () => observer.disconnect()
  }, [isFollowed, box])
  return (
    <pre
      ref={box}
      class={isWrapped ? 'output' : 'output unwrapped'}
      dir="ltr"
      // Scrollable, so it must be focusable.
      tabIndex={0}
      role="group"
      aria-label={label}
      onScroll={({ currentTarget: at }) => {
        const isAtEnd = at.scrollHeight - at.scrollTop - at.clientHeight < END_MARGIN
        if (isAtEnd !== isFollowed) setFollowed(isAtEnd)
      }}
    >
      {children}
    </pre>
  )
}
