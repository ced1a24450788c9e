// View of ReadImage in the chat: the image that the model got, to zoom into and to move. The wheel zooms only with Control,
// because it scrolls the chat otherwise. Built to a file of its own.

import { useEffect, useRef, useState } from 'preact/hooks'

import { useTranslator } from '../use-translator.js'
import { textOf } from './app-host.js'
import { type AppViewProps, FullscreenButton, renderApp } from './app-frame.js'
import { FIT, moveBy, type Position, zoomAround } from './image-position.js'

const STEP = 1.25
const MOVE = 40

function ImageApp({ host, input, result, context }: AppViewProps) {
  const { translate, formatNumber } = useTranslator()
  const [image] = result?.images ?? []
  const box = useRef<HTMLDivElement>(null)
  const [position, setPosition] = useState<Position>(FIT)
  const grabbed = useRef<{ readonly x: number; readonly y: number }>(undefined)
  const zoom = (factor: number, x?: number, y?: number): void => {
    const area = box.current?.getBoundingClientRect()
    if (area === undefined) return
    const center = { x: (x ?? area.left + area.width / 2) - area.left, y: (y ?? area.top + area.height / 2) - area.top }
    setPosition((before) => zoomAround(before, factor, center, area))
  }
  const move = (x: number, y: number): void => {
    const area = box.current?.getBoundingClientRect()
    if (area !== undefined) setPosition((before) => moveBy(before, x, y, area))
  }
  useZoomingWheel(box, zoom)
  if (image === undefined) return <p class="quiet">{translate(result === undefined ? 'loading' : 'appNoImage')}</p>

  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(STEP),
    '=': () => zoom(STEP),
    '-': () => zoom(1 / STEP),
    '0': () => setPosition(FIT),
    ArrowLeft: () => move(MOVE, 0),
    ArrowRight: () => move(-MOVE, 0),
    ArrowUp: () => move(0, MOVE),
    ArrowDown: () => move(0, -MOVE),
  }
  const path = textOf(input.file_path)
  return (
    <>
      <div class="app-head">
        <p class="quiet">
          <bdi dir="ltr">{path.split(/[/\\]/).at(-1)}</bdi>{' '}
          <span aria-live="polite">{formatNumber(Math.round(position.scale * 100))}%</span>
        </p>
        <div class="actions">
          <button
            class="button small"
            type="button"
            aria-label={translate('appZoomOut')}
            onClick={() => zoom(1 / STEP)}
          >
            −
          </button>
          <button class="button small" type="button" aria-label={translate('appZoomIn')} onClick={() => zoom(STEP)}>
            +
          </button>
          <button class="button small" type="button" onClick={() => setPosition(FIT)}>
            {translate('appZoomFit')}
          </button>
          <FullscreenButton host={host} context={context} />
        </div>
      </div>
      <div
        ref={box}
        class={position.scale > 1 ? 'canvas grabbable' : 'canvas'}
        tabIndex={0}
        role="group"
        aria-label={translate('appImageKeys')}
        onKeyDown={(event) => {
          const run = keys[event.key]
          if (run === undefined || event.ctrlKey || event.metaKey || event.altKey) return
          event.preventDefault()
          run()
        }}
        onDblClick={({ clientX, clientY }) => (position.scale > 1 ? setPosition(FIT) : zoom(2, clientX, clientY))}
        onPointerDown={({ currentTarget, pointerId, clientX, clientY }) => {
          if (position.scale <= 1) return
          currentTarget.setPointerCapture(pointerId)
          grabbed.current = { x: clientX, y: clientY }
        }}
        onPointerMove={({ clientX, clientY }) => {
          if (grabbed.current === undefined) return
          move(clientX - grabbed.current.x, clientY - grabbed.current.y)
          grabbed.current = { x: clientX, y: clientY }
        }}
        onPointerUp={() => (grabbed.current = undefined)}
        onPointerCancel={() => (grabbed.current = undefined)}
      >
        <img
          src={`data:${image.mimeType};base64,${image.data}`}
          alt={path.split(/[/\\]/).at(-1) ?? ''}
          draggable={false}
          style={{ transform: `translate(${position.x}px, ${position.y}px) scale(${position.scale})` }}
        />
      </div>
    </>
  )
}

/** Registered by hand, because the listener must be able to prevent scrolling. */
function useZoomingWheel(
  box: { readonly current: HTMLDivElement | null },
  zoom: (factor: number, x: number, y: number) => void,
): void {
  const latest = useRef(zoom)
  latest.current = zoom
  useEffect(() => {
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey || box.current?.contains(event.target instanceof Node ? event.target : null) !== true) return
      event.preventDefault()
      latest.current(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX, event.clientY)
    }
    addEventListener('wheel', onWheel, { passive: false })
    return () => removeEventListener('wheel', onWheel)
  }, [])
}

renderApp('image', 'appImage', ImageApp)
