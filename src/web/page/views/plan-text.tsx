// Tasks and the open plan of each project.

import { useEffect, useState } from 'preact/hooks'

import { Dialog } from '../parts/dialog.js'
import { harmless } from '../parts/harmless.js'
import { Refusal } from '../parts/refusal.js'
import { textOf, type Done } from '../server.js'
import { useWords } from '../speech.js'
import { useAct } from '../use-board.js'

export function PlanText({ project, close }: { readonly project: string; readonly close: () => void }) {
  const { say } = useWords()
  const act = useAct()
  const [done, setDone] = useState<Done>()
  useEffect(() => {
    let isWanted = true
    void act('plan', { project }).then((outcome) => {
      if (isWanted) setDone(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, project])
  const text = done?.ok === true ? textOf(done.value, 'text') : null
  return (
    <Dialog title={say('planOpen')} isWide close={close}>
      {done === undefined ? <p class="quiet">{say('loading')}</p> : <Refusal done={done} />}
      {done?.ok === true && text === null && <p class="quiet none">{say('planEmpty')}</p>}
      {text !== null && (
        // Scrollable, so it must be focusable. Each line has its own writing direction.
        <pre class="prose" tabIndex={0} role="group" aria-label={say('planOpen')}>
          {harmless(text)}
        </pre>
      )}
      <div class="actions">
        <button class="button" type="button" onClick={close}>
          {say('close')}
        </button>
      </div>
    </Dialog>
  )
}
