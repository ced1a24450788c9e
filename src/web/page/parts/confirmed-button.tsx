// A button for irreversible actions: asks for confirmation and shows the error if the server rejects the action.

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import type { Key } from '../../../services/board/languages/phrase.js'
import type { Done } from '../server.js'
import { useWords } from '../speech.js'
import { Dialog } from './dialog.js'
import { Refusal } from './refusal.js'

interface ConfirmButtonProps {
  readonly name: Key
  readonly ask: Key
  readonly means: Key
  readonly keep: Key
  /** What it acts on; part of the accessible name of the button. */
  readonly subject: string
  readonly shown: ComponentChildren
  readonly act: () => Promise<Done>
}

export function ConfirmedButton({ name, ask, means, keep, subject, shown, act }: ConfirmButtonProps) {
  const { say } = useWords()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Done>()

  const go = async (): Promise<void> => {
    setBusy(true)
    const done = await act()
    setBusy(false)
    setResult(done)
    if (done.ok) setAsking(false)
  }

  return (
    <>
      <button class="button danger" type="button" onClick={() => setAsking(true)}>
        {say(name)}
        <span class="unseen"> {subject}</span>
      </button>
      {isAsking && (
        <Dialog title={say(ask)} close={() => setAsking(false)}>
          {shown}
          <p>{say(means)}</p>
          <Refusal done={result} />
          <div class="actions">
            <button class="button" type="button" onClick={() => setAsking(false)}>
              {say(keep)}
            </button>
            <button class="button danger main" type="button" disabled={isBusy} onClick={() => void go()}>
              {say(isBusy ? 'sending' : name)}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
