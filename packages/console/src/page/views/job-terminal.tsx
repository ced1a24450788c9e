// The live terminal of a job, into which the person types; the model's input is refused meanwhile, until the terminal
// is given back. Shown by job-detail.tsx. Reads and types through use-job-terminal.ts; sends actions.

import type { RefObject } from 'preact'
import { useRef, useState } from 'preact/hooks'

import type { JobView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { useKeys } from '../components/keys.js'
import { useAction } from '../use-console.js'
import { useJobTerminal } from '../use-job-terminal.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'

interface JobTerminalProps {
  readonly job: JobView
  /** Gets the focus when the person leaves the terminal with its key. */
  readonly leaveTo: RefObject<HTMLElement | null>
}

export function JobTerminal({ job, leaveTo }: JobTerminalProps) {
  const { translate } = useTranslator()
  const box = useRef<HTMLDivElement>(null)
  const { isOpen, hasEnded, refused, focus } = useJobTerminal(job, box, () => leaveTo.current?.focus())
  useKeys([{ keys: 't', label: 'keyTerminal', run: focus }])
  const isTyping = job.terminal?.isUserTyping === true
  return (
    <>
      {!isOpen && refused === undefined && <p class="quiet">{translate('loading')}</p>}
      <div
        ref={box}
        class="job-terminal"
        dir="ltr"
        role="group"
        aria-label={translate('terminalOf', { id: `${job.id}` })}
      />
      <ActionError result={refused} />
      <p class={isTyping ? 'typing' : 'quiet'} role="status">
        {translate(hasEnded ? 'terminalEnded' : isTyping ? 'terminalYours' : 'terminalShared')}
      </p>
      <p class="quiet">{translate('terminalKeys')}</p>
      {isTyping && !hasEnded && (
        <div class="actions">
          <GiveBack job={job} />
        </div>
      )}
    </>
  )
}

/** Lets the model type again. */
export function GiveBack({ job: { server, id } }: { readonly job: JobView }) {
  const { translate } = useTranslator()
  const act = useAction()
  const canAct = useServers().canAct(server)
  const [result, setResult] = useState<ActionResult>()
  const giveBack = async (): Promise<void> => setResult(await act('give-back', { server, id }))
  return (
    <>
      <ActionError result={result} />
      <button class="button main" type="button" disabled={!canAct} onClick={() => void giveBack()}>
        {translate('giveBack')}
        <span class="unseen"> {translate('jobNumber', { id: `${id}` })}</span>
      </button>
    </>
  )
}
