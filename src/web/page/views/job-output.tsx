import { useEffect, useRef, useState } from 'preact/hooks'

import type { JobView } from '../../../services/board/view.js'
import type { Key } from '../../../services/board/languages/phrase.js'
import { Dialog } from '../parts/dialog.js'
import { Refusal } from '../parts/refusal.js'
import { refusalOf, type Done } from '../server.js'
import { useWords } from '../speech.js'
import { useReadOutput } from '../use-board.js'
import { useOutput, type OutputPart, type Wanted } from '../use-output.js'
import { OutputText } from './output-text.js'

export function JobOutput({ job, close }: { readonly job: JobView; readonly close: () => void }) {
  const { say } = useWords()
  const { part, refused, show } = useOutput(job)
  const isAtEnd = useRef(true)
  const isFull = part !== undefined && part.isLast && part.next < part.size
  const isFollowed = useRef(true)
  useEffect(() => {
    // The last part has reached its maximum size; load the new last part.
    if (isFull && isFollowed.current && isAtEnd.current) show({})
  }, [isFull, show])
  const showPart = (wanted: Wanted): void => {
    isFollowed.current = wanted.from === undefined && wanted.before === undefined
    isAtEnd.current = isFollowed.current
    show(wanted)
  }
  const title = say('outputOf', { id: `${job.id}` })
  return (
    <Dialog title={title} isWide close={close}>
      <p class="meta">
        <code class="command" dir="ltr">
          {job.command}
        </code>
        {part !== undefined && <RunningState isRunning={part.isRunning} />}
      </p>
      {part === undefined && refused === undefined && <p class="quiet">{say('loading')}</p>}
      <Refusal done={refused} />
      {part !== undefined && <OutputText part={part} label={title} isAtEnd={isAtEnd} />}
      {part !== undefined && (part.from > 0 || part.next < part.size) && (
        <PartNavigation part={part} turnTo={showPart} />
      )}
      <div class="actions">
        <Download job={job} />
        <button class="button" type="button" onClick={close}>
          {say('close')}
        </button>
      </div>
    </Dialog>
  )
}

function RunningState({ isRunning }: { readonly isRunning: boolean }) {
  const { say } = useWords()
  return (
    <span>
      {isRunning && <span class="lamp running" aria-hidden="true" />} {say(isRunning ? 'running' : 'ended')}
    </span>
  )
}

interface PartsProps {
  readonly part: OutputPart
  readonly turnTo: (wanted: Wanted) => void
}

function PartNavigation({ part: { from, next, size }, turnTo: showPart }: PartsProps) {
  const { say, bytes } = useWords()
  const button = (name: Key, isUseful: boolean, wanted: Wanted) => (
    <button class="button" type="button" aria-disabled={!isUseful} onClick={() => isUseful && showPart(wanted)}>
      {say(name)}
    </button>
  )
  return (
    <div class="parts">
      <p class="quiet">
        {say('outputRange', { from: bytes(from), to: bytes(next), size: bytes(size) })}
        {' · '}
        {say('outputParts')}
      </p>
      <div class="actions">
        {button('outputFirst', from > 0, { from: 0 })}
        {button('outputEarlier', from > 0, { before: from })}
        {button('outputLater', next < size, { from: next })}
        {button('outputLast', next < size, {})}
      </div>
    </div>
  )
}

function Download({ job: { server, id } }: { readonly job: JobView }) {
  const { say } = useWords()
  const read = useReadOutput()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<Done>()
  const abortController = useRef(new AbortController())
  useEffect(() => () => abortController.current.abort(), [])

  const download = async (): Promise<void> => {
    setBusy(true)
    setRefused(undefined)
    try {
      const response = await read('download', { server, id }, abortController.current.signal)
      if (response.ok) saveBlob(await response.blob(), `job-${id}.log`)
      else setRefused(await refusalOf(response))
    } catch {
      if (!abortController.current.signal.aborted) setRefused({ ok: false, status: 0, sentence: null })
    }
    setBusy(false)
  }

  return (
    <>
      <Refusal done={refused} />
      <button class="button" type="button" aria-disabled={isBusy} onClick={() => !isBusy && void download()}>
        {say(isBusy ? 'loading' : 'download')}
      </button>
    </>
  )
}

/** The request needs a header, which a plain link cannot send. Browsers keep large blobs on disk. */
function saveBlob(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
