// Dragging a row of a list by its handle, with mouse, pen or finger. The target is the row under the pointer that has the
// same `data-drag-group`. Used by tasks.tsx. Listens to the pointer; scrolls near the edges of the screen.

import { useState } from 'preact/hooks'

export interface RowDrag {
  readonly key: string
  /** The row whose place it would get. */
  readonly over: string
}

/** Rows have `data-drag-key` and `data-drag-group`. */
export function useRowDrag(drop: (key: string, over: string) => void) {
  const [drag, setDrag] = useState<RowDrag>()

  const start = (event: PointerEvent, key: string): void => {
    const handle = event.currentTarget
    if (event.button !== 0 || !(handle instanceof HTMLElement)) return
    event.preventDefault()
    // The row that has the focus stays in the document.
    handle.focus({ preventScroll: true })
    handle.setPointerCapture(event.pointerId)
    const group = handle.closest('[data-drag-group]')?.getAttribute('data-drag-group') ?? ''
    let over = key
    const scrolling = createEdgeScrolling()
    const move = ({ clientX, clientY }: PointerEvent): void => {
      const row = document.elementFromPoint(clientX, clientY)?.closest('[data-drag-group]')
      if (row?.getAttribute('data-drag-group') === group) over = row.getAttribute('data-drag-key') ?? over
      setDrag({ key, over })
      scrolling.follow(clientY)
    }
    const end = (ended: PointerEvent): void => {
      scrolling.stop()
      listening.abort()
      setDrag(undefined)
      if (ended.type === 'pointerup' && over !== key) drop(key, over)
    }
    const listening = new AbortController()
    const { signal } = listening
    handle.addEventListener('pointermove', move, { signal })
    handle.addEventListener('pointerup', end, { signal })
    handle.addEventListener('pointercancel', end, { signal })
    handle.addEventListener('lostpointercapture', end, { signal })
  }
  return { drag, start }
}

/** Pixels from the edge, and for each frame. */
const EDGE = 72
const STEP = 12

function createEdgeScrolling() {
  let frame = 0
  let direction = 0
  const tick = (): void => {
    scrollBy(0, direction * STEP)
    frame = direction === 0 ? 0 : requestAnimationFrame(tick)
  }
  return {
    follow(y: number): void {
      direction = y < EDGE ? -1 : y > innerHeight - EDGE ? 1 : 0
      if (frame === 0 && direction !== 0) frame = requestAnimationFrame(tick)
    },
    stop(): void {
      cancelAnimationFrame(frame)
    },
  }
}
