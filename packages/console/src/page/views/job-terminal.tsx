// The live terminal of a job, into which the person types; the model's input is refused meanwhile, until the terminal
// is given back. Shown by jobs.tsx. Reads and types through use-job-terminal.ts; sends actions.

import { useRef, useState } from 'preact/hooks'

import type { JobView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Dialog } from '../components/dialog.js'
import { useAction } from '../use-console.js'
import { useJobTerminal } from '../use-job-terminal.js'
import { useTranslator } from '../use-translator.js'

export function JobTerminal({ job, close }: { readonly job: JobView; readonly close: () => void }) {
  const { translate } = useTranslator()
  const box = useRef<HTMLDivElement>(null)
  const closeButton = useRef<HTMLButtonElement>(null)
  const { isOpen, hasEnded, refused } = useJobTerminal(job, box, () => closeButton.current?.focus())
  const isTyping = job.terminal?.isUserTyping === true
  const title = translate('terminalOf', { id: `${job.id}` })
  return (
    <Dialog title={title} isWide close={close}>
      <p class="meta">
        <code class="command" dir="ltr">
          {job.command}
        </code>
      </p>
      {!isOpen && refused === undefined && <p class="quiet">{translate('loading')}</p>}
      <div ref={box} class="job-terminal" dir="ltr" role="group" aria-label={title} />
      <ActionError result={refused} />
      <p class={isTyping ? 'typing' : 'quiet'} role="status">
        {translate(hasEnded ? 'terminalEnded' : isTyping ? 'terminalYours' : 'terminalShared')}
      </p>
      <p class="quiet">{translate('terminalKeys')}</p>
      <div class="actions">
        {isTyping && <GiveBack job={job} />}
        <button ref={closeButton} class="button" type="button" onClick={close}>
          {translate('close')}
        </button>
      </div>
    </Dialog>
  )
}

/** Lets the model type again. */
export function GiveBack({ job: { server, id } }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const act = useAction()
  const [result, setResult] = useState<ActionResult>()
  const giveBack = async (): Promise<void> => setResult(await act('give-back', { server, id }))
  return (
    <>
      <ActionError result={result} />
      <button class="button main" type="button" onClick={() => void giveBack()}>
        {translate('giveBack')}
        <span class="unseen"> #{id}</span>
      </button>
    </>
  )
}
