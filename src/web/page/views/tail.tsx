// One job: command, state and last lines of output. The lines follow the end unless the user has scrolled up.

import { useLayoutEffect, useRef } from 'preact/hooks'

import { harmless } from '../parts/harmless.js'

interface OutputTailProps {
  readonly text: string
  readonly label: string
  readonly empty: string
}

export function Tail({ text, label, empty }: OutputTailProps) {
  const box = useRef<HTMLPreElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])
  if (text === '') return <p class="quiet none">{empty}</p>
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
      {harmless(text)}
    </pre>
  )
}
