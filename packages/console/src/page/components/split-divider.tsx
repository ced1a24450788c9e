// The line between a list and what is open in it, which the user moves by pointer or by keys. The share of the list is
// remembered in this browser. Used by split-view.tsx. Reads and writes localStorage.

import { useState } from 'preact/hooks'

import { useTranslator } from '../use-translator.js'

const STORAGE_KEY = 'split'
const [DEFAULT, MIN, MAX, STEP] = [40, 20, 70, 2]

export interface SplitShare {
  /** Percent of the width. */
  readonly share: number
  readonly setShare: (share: number) => void
}

export function useSplitShare(): SplitShare {
  const [share, set] = useState(readStored)
  const setShare = (wanted: number): void => {
    const next = Math.round(Math.max(MIN, Math.min(MAX, wanted)) * 10) / 10
    set(next)
    try {
      localStorage.setItem(STORAGE_KEY, String(next))
    } catch {
      // It is reset when the page is loaded.
    }
  }
  return { share, setShare }
}

export function SplitDivider({ share, setShare }: SplitShare) {
  const { translate } = useTranslator()
  const onPointerMove = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    const { currentTarget, clientX } = event
    const frame = currentTarget.parentElement?.getBoundingClientRect()
    if (frame === undefined || !currentTarget.hasPointerCapture(event.pointerId)) return
    const fromStart = isRightToLeft() ? frame.right - clientX : clientX - frame.left
    setShare((fromStart / frame.width) * 100)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const forward = isRightToLeft() ? 'ArrowLeft' : 'ArrowRight'
    const { key, ctrlKey, metaKey, altKey } = event
    const wanted = key === 'Home' ? MIN : key === 'End' ? MAX : share + (key === forward ? STEP : -STEP)
    if (ctrlKey || metaKey || altKey || !/^(ArrowLeft|ArrowRight|Home|End)$/.test(key)) return
    event.preventDefault()
    setShare(wanted)
  }
  return (
    <div
      class="split-divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={translate('splitWidth')}
      aria-valuenow={Math.round(share)}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      // A selection or a drag of the browser would end the capture.
      onMouseDown={(event) => {
        event.preventDefault()
        event.currentTarget.focus()
      }}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDblClick={() => setShare(DEFAULT)}
    />
  )
}

function isRightToLeft(): boolean {
  return document.documentElement.dir === 'rtl'
}

function readStored(): number {
  try {
    const stored = Number(localStorage.getItem(STORAGE_KEY) ?? DEFAULT)
    return stored >= MIN && stored <= MAX ? stored : DEFAULT
  } catch {
    return DEFAULT
  }
}
