// Output of a job with its colours: the last part first, live while the job runs. Long output is shown in parts, so that
// the page stays small. It can be followed, searched, wrapped, copied and saved. Shown by job-detail.tsx. Requests the
// output through use-job-output.ts.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { JobView } from '../../view.js'
import { type ActionResult, toActionError } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { AnsiText } from '../components/ansi-text.js'
import { CopyButton } from '../components/copy-button.js'
import { useKeys } from '../components/keys.js'
import { OutputBox } from '../components/output-box.js'
import { useFetchJobOutput } from '../use-console.js'
import { type JobOutputPart, type OutputPartRequest, useJobOutput } from '../use-job-output.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { OutputSearch } from './output-search.js'

interface JobOutputProps {
  readonly job: JobView
  readonly isWrapped: boolean
  readonly setWrapped: (isWrapped: boolean) => void
}

export function JobOutput({ job, isWrapped, setWrapped }: JobOutputProps) {
  const { translate, formatBytes } = useTranslator()
  const { part, refused, isRetrying, show, reload } = useJobOutput(job)
  const box = useRef<HTMLPreElement>(null)
  const [isFollowed, setFollowed] = useState(true)
  const isAtLastPart = useRef(true)
  const isFull = part !== undefined && part.isLast && part.next < part.size
  useEffect(() => {
    // The last part has reached its maximum size; load the new last part.
    if (isFull && isAtLastPart.current && isFollowed) show({})
  }, [isFull, isFollowed, show])
  const showPart = (wanted: OutputPartRequest): void => {
    isAtLastPart.current = wanted.from === undefined && wanted.before === undefined
    setFollowed(isAtLastPart.current)
    show(wanted)
  }
  const toggleFollow = (): void => {
    if (!isFollowed && !isAtLastPart.current) showPart({})
    else setFollowed(!isFollowed)
  }
  useKeys([
    { keys: 'f', label: 'keyFollow', run: toggleFollow },
    { keys: 'w', label: 'keyWrap', run: () => setWrapped(!isWrapped) },
  ])
  const label = translate('outputOf', { id: `${job.id}` })
  const isEmpty = part !== undefined && part.blocks.length === 0 && part.open === ''
  return (
    <div class="job-output">
      <div class="output-tools">
        <Toggle label="outputFollow" isOn={isFollowed} toggle={toggleFollow} />
        <Toggle label="outputWrap" isOn={isWrapped} toggle={() => setWrapped(!isWrapped)} />
        <OutputSearch job={job} box={box} part={part} show={showPart} />
      </div>
      {part === undefined && refused === undefined && <p class="quiet">{translate('loading')}</p>}
      {refused !== undefined && <LostOutput refused={refused} isRetrying={isRetrying} reload={reload} />}
      {isEmpty && <p class="quiet none">{translate(part.isRunning ? 'noOutput' : 'outputEmpty')}</p>}
      {part !== undefined && !isEmpty && (
        <OutputBox
          label={label}
          version={part}
          from={part.from}
          box={box}
          isFollowed={isFollowed}
          setFollowed={setFollowed}
          isWrapped={isWrapped}
        >
          {part.blocks.map((block, index) =>
            typeof block === 'string' ? (
              <AnsiText key={index} text={block} />
            ) : (
              <em key={index} class="block" dir="auto">
                {translate('outputMissing', { size: formatBytes(block) })}
              </em>
            ),
          )}
          <AnsiText key="open" text={part.open} />
        </OutputBox>
      )}
      {part !== undefined && (part.from > 0 || part.next < part.size) && (
        <PartNavigation part={part} turnTo={showPart} />
      )}
      <div class="actions">
        {!isEmpty && part !== undefined && (
          <CopyButton label="copyOutput" readText={() => box.current?.textContent ?? ''} />
        )}
        <Download job={job} />
      </div>
    </div>
  )
}

interface LostOutputProps {
  readonly refused: ActionResult
  readonly isRetrying: boolean
  readonly reload: () => void
}

/** What is shown below may be outdated. */
function LostOutput({ refused, isRetrying, reload }: LostOutputProps) {
  const { translate } = useTranslator()
  return (
    <div class="actions">
      <ActionError result={refused} />
      {isRetrying && <p class="quiet">{translate('outputRetrying')}</p>}
      <button class="button small" type="button" onClick={reload}>
        {translate('reload')}
      </button>
    </div>
  )
}

interface ToggleProps {
  readonly label: TranslationKey
  readonly isOn: boolean
  readonly toggle: () => void
}

function Toggle({ label, isOn, toggle }: ToggleProps) {
  const { translate } = useTranslator()
  return (
    <button class="button small toggle" type="button" aria-pressed={isOn} onClick={toggle}>
      {translate(label)}
    </button>
  )
}

interface PartsProps {
  readonly part: JobOutputPart
  readonly turnTo: (wanted: OutputPartRequest) => void
}

function PartNavigation({ part: { from, next, size }, turnTo: showPart }: PartsProps) {
  const { translate, formatBytes } = useTranslator()
  const button = (name: TranslationKey, isUseful: boolean, wanted: OutputPartRequest) => (
    <button class="button small" type="button" aria-disabled={!isUseful} onClick={() => isUseful && showPart(wanted)}>
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
  const canAct = useServers().canAct(server)
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
      <button
        class="button small"
        type="button"
        disabled={!canAct}
        aria-disabled={isBusy}
        onClick={() => !isBusy && void download()}
      >
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
