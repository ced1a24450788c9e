// A scrollable box for the output of a job. It follows the end unless the user has scrolled up. Used by the list of
// jobs and the dialog with the whole output. Renders and scrolls only.

import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface OutputBoxProps {
  readonly label: string
  /** Changes with the output. */
  readonly version: unknown
  /** Where the shown part begins; another part is shown from its top. */
  readonly from?: number
  /** Whether the end is visible; updated when the user scrolls. */
  readonly isAtEnd: RefObject<boolean>
  readonly children: ComponentChildren
}

export function OutputBox({ label, version, from, isAtEnd, children }: OutputBoxProps) {
  const box = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [version, isAtEnd])
  useLayoutEffect(() => {
    if (box.current !== null && !isAtEnd.current) box.current.scrollTop = 0
  }, [from, isAtEnd])
  return (
    <pre
      ref={box}
      dir="ltr"
      // Scrollable, so it must be focusable.
      tabIndex={0}
      role="group"
      aria-label={label}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 8
      }}
    >
      {children}
    </pre>
  )
}
