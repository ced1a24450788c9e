// Everything a job has printed, as far as the server kept it, as it was when it was asked for.

import { useEffect, useState } from 'preact/hooks'

import type { JobView } from '../../../services/board/view.js'
import { Dialog } from '../parts/dialog.js'
import { Refusal } from '../parts/refusal.js'
import { textOf, type Done } from '../server.js'
import { useWords } from '../speech.js'
import { useAct } from '../use-board.js'
import { Tail } from './tail.js'

export function JobOutput({ job, close }: { readonly job: JobView; readonly close: () => void }) {
  const { say } = useWords()
  const act = useAct()
  const [done, setDone] = useState<Done>()
  useEffect(() => {
    let isWanted = true
    void act('output', { server: job.server, id: job.id }).then((outcome) => {
      if (isWanted) setDone(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, job.server, job.id])
  const title = say('outputOf', { id: `${job.id}` })
  return (
    <Dialog title={title} isWide close={close}>
      <p>
        <code class="command" dir="ltr">
          {job.command}
        </code>
      </p>
      {done === undefined ? <p class="quiet">{say('loading')}</p> : <Refusal done={done} />}
      {done?.ok === true && <Tail text={textOf(done.value, 'text') ?? ''} label={title} empty={say('outputEmpty')} />}
      <div class="actions">
        <button class="button" type="button" onClick={close}>
          {say('close')}
        </button>
      </div>
    </Dialog>
  )
}
