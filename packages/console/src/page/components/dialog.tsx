// Modal dialog (the native element, which handles focus and Escape), and a button that asks for confirmation. Used by
// the views of jobs, tasks and callbacks. Changes the document only.

import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { ActionResult } from '../api.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { ActionError } from './alerts.js'

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

interface ConfirmButtonProps {
  readonly label: TranslationKey
  readonly title: TranslationKey
  readonly warning: TranslationKey
  readonly cancelLabel: TranslationKey
  /** What it acts on; part of the accessible name of the button. */
  readonly subject: string
  readonly details: ComponentChildren
  /** For a key that does the same as the button. */
  readonly buttonRef?: RefObject<HTMLButtonElement | null>
  /** The server that acts, if it is a particular one. */
  readonly server?: string
  readonly act: () => Promise<ActionResult>
}

/** For irreversible actions. Shows the error if the server rejects the action. */
export function ConfirmButton({
  label,
  title: ask,
  warning,
  cancelLabel,
  subject,
  details,
  ...props
}: ConfirmButtonProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct(props.server)
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<ActionResult>()

  const go = async (): Promise<void> => {
    setBusy(true)
    const done = await props.act()
    setBusy(false)
    setResult(done)
    if (done.ok) setAsking(false)
  }

  return (
    <>
      <button
        {...(props.buttonRef && { ref: props.buttonRef })}
        class="button danger"
        type="button"
        disabled={!canAct}
        onClick={() => setAsking(true)}
      >
        {translate(label)}
        <span class="unseen"> {subject}</span>
      </button>
      {isAsking && (
        <Dialog title={translate(ask)} close={() => setAsking(false)}>
          {details}
          <p>{translate(warning)}</p>
          <ActionError result={result} />
          <div class="actions">
            <button class="button" type="button" onClick={() => setAsking(false)}>
              {translate(cancelLabel)}
            </button>
            <button class="button danger main" type="button" disabled={isBusy || !canAct} onClick={() => void go()}>
              {translate(isBusy ? 'sending' : label)}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
