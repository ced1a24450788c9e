// Output of a job: the last part first, live while the job runs. Long output is shown in parts, so that the page stays
// small. The text follows the end unless the user has scrolled up.

import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

import { useWords } from '../speech.js'
import type { OutputPart } from '../use-output.js'

interface OutputTextProps {
  readonly part: OutputPart
  readonly label: string
  /** Whether the end is visible; updated when the user scrolls. */
  readonly isAtEnd: RefObject<boolean>
}

export function OutputText({ part, label, isAtEnd }: OutputTextProps) {
  const { say, bytes } = useWords()
  const box = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [part, isAtEnd])
  useLayoutEffect(() => {
    if (box.current !== null && !isAtEnd.current) box.current.scrollTop = 0
  }, [part.from, isAtEnd])
  if (part.blocks.length === 0 && part.open === '') {
    return <p class="quiet none">{say(part.isRunning ? 'noOutput' : 'outputEmpty')}</p>
  }
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
      {part.blocks.map((block, index) =>
        typeof block === 'string' ? (
          <span key={index} class="block">
            {block}
          </span>
        ) : (
          <em key={index} class="block" dir="auto">
            {say('outputMissing', { size: bytes(block) })}
          </em>
        ),
      )}
      <span class="block">{part.open}</span>
    </pre>
  )
}
