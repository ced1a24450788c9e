// View of BackgroundBash and ReadBgOutput in the chat: the output of the job, which grows while it runs, or the screen of its
// terminal. It reads a resource, which does not change what the model reads next. Built to a file of its own.

import { useEffect, useRef, useState } from 'preact/hooks'

import type { AppJob } from '@scorpiox/server/calls/app-data'
import { formatExitCode, hasFailed, jobEndingKey } from '../../i18n/job-ending.js'
import { AnsiText } from '../components/ansi-text.js'
import { OutputBox } from '../components/output-box.js'
import { stripControls } from '../components/strip-controls.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { type AppHost, isFields } from './app-host.js'
import { type AppViewProps, FullscreenButton, NotUpToDate, renderApp, ResultText } from './app-frame.js'

/** A read waits for output itself. */
const PAUSE_MS = 250
const RETRY_MS = 5000
const BLOCK_LENGTH = 16_384
/** What is kept of a long output; at most one read more. */
const MAX_CHARACTERS = 400_000

function JobApp({ host, input, result, context }: AppViewProps) {
  const { translate, formatBytes } = useTranslator()
  const id = readJobId(input, result)
  const { job, blocks, missing, isBehind } = useJob(host, id)
  const [chosenWrap, setWraps] = useState<boolean>()
  const box = useRef<HTMLPreElement>(null)
  const [isFollowed, setFollowed] = useState(true)
  if (id === undefined)
    return result === undefined ? <p class="quiet">{translate('appJobStarting')}</p> : <ResultText result={result} />
  // The rows of a screen belong below one another.
  const wraps = chosenWrap ?? job?.isScreen !== true
  const isEmpty = job === undefined ? result === undefined : blocks.length === 0 && job.open === ''
  return (
    <>
      <div class="app-head">
        {job !== undefined && <Status job={job} />}
        <div class="actions">
          <button class="button small" type="button" aria-pressed={wraps} onClick={() => setWraps(!wraps)}>
            {translate('appWrap')}
          </button>
          <FullscreenButton host={host} context={context} />
        </div>
      </div>
      {job !== undefined && (
        <p class="command" dir="ltr">
          {stripControls(job.command)}
        </p>
      )}
      {missing > 0 && <p class="quiet">{translate('appOutputBefore', { size: formatBytes(missing) })}</p>}
      <OutputBox
        label={translate('outputOf', { id })}
        version={job === undefined ? result : blocks}
        from={0}
        box={box}
        isFollowed={isFollowed}
        setFollowed={setFollowed}
        isWrapped={wraps}
      >
        {isEmpty && <bdi>{translate(job?.ending === null ? 'noOutput' : 'outputEmpty')}</bdi>}
        {job === undefined && stripControls(result?.text ?? '')}
        {blocks.map((block) => (
          <AnsiText key={block.id} text={block.text} />
        ))}
        {job !== undefined && job.open !== '' && <AnsiText text={job.open} />}
      </OutputBox>
      {isBehind && <NotUpToDate />}
      {!host.canRead && <p class="quiet">{translate('appNoUpdates')}</p>}
    </>
  )
}

function Status({ job }: { readonly job: AppJob }) {
  const { translate, formatDuration } = useTranslator()
  const now = useNow()
  const { ending, exitCode, signal, startedAt, endedAt } = job
  const isRunning = ending === null
  const code = formatExitCode({ ending, exitCode, signal })
  // Of a running job whole seconds, once there are some.
  const ms = endedAt === null ? Math.floor((now - startedAt) / 1000) * 1000 : endedAt - startedAt
  return (
    <p class="meta" role="status">
      <span class={isRunning ? 'good' : hasFailed(job) ? 'bad' : ''}>
        <span class={isRunning ? 'lamp running' : 'lamp'} aria-hidden="true" />
        {isRunning
          ? translate('running')
          : code === undefined
            ? translate(jobEndingKey({ ending, exitCode, signal }))
            : translate('exitCode', { code })}
      </span>
      {(!isRunning || ms > 0) && (
        <span aria-hidden={isRunning}>
          {translate(isRunning ? 'runningFor' : 'ranFor', { time: formatDuration(ms) })}
        </span>
      )}
    </p>
  )
}

interface JobState {
  readonly job: AppJob | undefined
  /** The output in blocks, so that what exists is not laid out again when more arrives. */
  readonly blocks: readonly OutputBlock[]
  /** Bytes before them that are not shown. */
  readonly missing: number
  /** The last read has failed; it is tried again. */
  readonly isBehind: boolean
}

interface OutputBlock {
  readonly id: number
  readonly text: string
}

const NO_OUTPUT: JobState = { job: undefined, blocks: [], missing: 0, isBehind: false }

/** Reads the output from where the last read ended, until the job has ended and everything is read. */
function useJob(host: AppHost, id: number | undefined): JobState {
  const [state, setState] = useState(NO_OUTPUT)
  useEffect(() => {
    if (id === undefined || !host.canRead) return undefined
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    let current = NO_OUTPUT
    const read = async (): Promise<void> => {
      const { job: before } = current
      const from = before === undefined ? '' : `?from=${before.next}`
      const job = await host.read(`ui://scorpiox-code/data/jobs/${id}${from}`)
      if (!isWanted) return
      if (!isAppJob(job)) {
        setState({ ...current, isBehind: true })
        timer = setTimeout(() => void read(), RETRY_MS)
        return
      }
      current = addOutput(current, job)
      setState(current)
      const isAll = job.ending !== null && job.next === before?.next
      if (!isAll) timer = setTimeout(() => void read(), PAUSE_MS)
    }
    void read()
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [host, id])
  return state
}

function addOutput({ blocks, missing }: JobState, job: AppJob): JobState {
  if (job.isScreen) return { job, blocks: [{ id: 0, text: job.text }], missing: 0, isBehind: false }
  const last = blocks.at(-1)
  const added =
    job.text === ''
      ? blocks
      : last === undefined || last.text.length >= BLOCK_LENGTH
        ? [...blocks, { id: (last?.id ?? 0) + 1, text: job.text }]
        : [...blocks.slice(0, -1), { id: last.id, text: last.text + job.text }]
  const isTooLong = added.length > 1 && added.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARACTERS
  const [first] = added
  const dropped = isTooLong && first !== undefined ? new TextEncoder().encode(first.text).length : 0
  return {
    job,
    blocks: isTooLong ? added.slice(1) : added,
    missing: missing + job.missing + dropped,
    isBehind: false,
  }
}

function readJobId({ task_id: asked }: AppViewProps['input'], result: AppViewProps['result']): number | undefined {
  const id = result?.data.task_id ?? asked
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined
}

function isAppJob(value: unknown): value is AppJob {
  return isFields(value) && 'command' in value && 'next' in value
}

renderApp('job', 'appJob', JobApp)
