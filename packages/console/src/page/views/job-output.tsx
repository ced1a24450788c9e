// Output of a job: the last part first, live while the job runs. Long output is shown in parts, so that the page stays
// small. The text follows the end unless the user has scrolled up. Shown by jobs.tsx. Requests the output through
// use-job-output.ts, and saves it as a file on request.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { JobView } from '../../view.js'
import { type ActionResult, toActionError } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Dialog } from '../components/dialog.js'
import { OutputBox } from '../components/output-box.js'
import { useFetchJobOutput } from '../use-console.js'
import { type JobOutputPart, type OutputPartRequest, useJobOutput } from '../use-job-output.js'
import { useTranslator } from '../use-translator.js'

interface OutputTextProps {
  readonly part: JobOutputPart
  readonly label: string
  /** Whether the end is visible; updated when the user scrolls. */
  readonly isAtEnd: RefObject<boolean>
}

function OutputText({ part, label, isAtEnd }: OutputTextProps) {
  const { translate, formatBytes } = useTranslator()
  if (part.blocks.length === 0 && part.open === '') {
    return <p class="quiet none">{translate(part.isRunning ? 'noOutput' : 'outputEmpty')}</p>
  }
  return (
    <OutputBox label={label} version={part} from={part.from} isAtEnd={isAtEnd}>
      {part.blocks.map((block, index) =>
        typeof block === 'string' ? (
          <span key={index} class="block">
            {block}
          </span>
        ) : (
          <em key={index} class="block" dir="auto">
            {translate('outputMissing', { size: formatBytes(block) })}
          </em>
        ),
      )}
      <span class="block">{part.open}</span>
    </OutputBox>
  )
}

export function JobOutput({ job, close }: { readonly job: JobView; readonly close: () => void }) {
  const { translate } = useTranslator()
  const { part, refused, show } = useJobOutput(job)
  const isAtEnd = useRef(true)
  const isFull = part !== undefined && part.isLast && part.next < part.size
  const isFollowed = useRef(true)
  useEffect(() => {
    // The last part has reached its maximum size; load the new last part.
    if (isFull && isFollowed.current && isAtEnd.current) show({})
  }, [isFull, show])
  const showPart = (wanted: OutputPartRequest): void => {
    isFollowed.current = wanted.from === undefined && wanted.before === undefined
    isAtEnd.current = isFollowed.current
    show(wanted)
  }
  const title = translate('outputOf', { id: `${job.id}` })
  return (
    <Dialog title={title} isWide close={close}>
      <p class="meta">
        <code class="command" dir="ltr">
          {job.command}
        </code>
        {part !== undefined && <RunningState isRunning={part.isRunning} />}
      </p>
      {part === undefined && refused === undefined && <p class="quiet">{translate('loading')}</p>}
      <ActionError result={refused} />
      {part !== undefined && <OutputText part={part} label={title} isAtEnd={isAtEnd} />}
      {part !== undefined && (part.from > 0 || part.next < part.size) && (
        <PartNavigation part={part} turnTo={showPart} />
      )}
      <div class="actions">
        <Download job={job} />
        <button class="button" type="button" onClick={close}>
          {translate('close')}
        </button>
      </div>
    </Dialog>
  )
}

function RunningState({ isRunning }: { readonly isRunning: boolean }) {
  const { translate } = useTranslator()
  return (
    <span>
      {isRunning && <span class="lamp running" aria-hidden="true" />} {translate(isRunning ? 'running' : 'ended')}
    </span>
  )
}

interface PartsProps {
  readonly part: JobOutputPart
  readonly turnTo: (wanted: OutputPartRequest) => void
}

function PartNavigation({ part: { from, next, size }, turnTo: showPart }: PartsProps) {
  const { translate, formatBytes } = useTranslator()
  const button = (name: TranslationKey, isUseful: boolean, wanted: OutputPartRequest) => (
    <button class="button" type="button" aria-disabled={!isUseful} onClick={() => isUseful && showPart(wanted)}>
      {translate(name)}
    </button>
  )
  return (
    <div class="parts">
      <p class="quiet">
        {translate('outputRange', { from: formatBytes(from), to: formatBytes(next), size: formatBytes(size) })}
        {' · '}
        {translate('outputParts')}
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
  const { translate } = useTranslator()
  const read = useFetchJobOutput()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<ActionResult>()
  const abortController = useRef(new AbortController())
  useEffect(() => () => abortController.current.abort(), [])

  const download = async (): Promise<void> => {
    setBusy(true)
    setRefused(undefined)
    try {
      const response = await read('download', { server, id }, abortController.current.signal)
      if (response.ok) saveBlob(await response.blob(), `job-${id}.log`)
      else setRefused(await toActionError(response))
    } catch {
      if (!abortController.current.signal.aborted) setRefused({ ok: false, status: 0, message: null })
    }
    setBusy(false)
  }

  return (
    <>
      <ActionError result={refused} />
      <button class="button" type="button" aria-disabled={isBusy} onClick={() => !isBusy && void download()}>
        {translate(isBusy ? 'loading' : 'download')}
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
