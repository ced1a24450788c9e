// Modal dialog: the native element, which handles focus and Escape.

import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: ComponentChildren
  readonly isWide?: boolean
  readonly close: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, isWide = false, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      const back = before?.isConnected === true ? before : document.querySelector('main')
      if (back instanceof HTMLElement) back.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class={isWide ? 'wide' : ''} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
