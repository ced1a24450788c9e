// One call: its arguments, its result as the model received it, and where it came from; it can be copied and run again.
// Shown by calls.tsx. Requests the call; runs it again.

import { useEffect, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { CallBlock, CallDetails, CallView, RerunProblem } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { CopyButton } from '../components/copy-button.js'
import { ConfirmButton } from '../components/dialog.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, UntrustedText } from '../components/text.js'
import { useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { OUTCOME_NAMES } from './call-filters.js'
import { CallDuration, CallOutcome } from './call-row.js'

interface CallDetailProps {
  readonly id: string
  /** As it is now, if it is among the last calls. */
  readonly live: CallView | undefined
  readonly hrefOf: (...parts: readonly string[]) => string
}

export function CallDetail({ id, live, hrefOf }: CallDetailProps) {
  const { translate } = useTranslator()
  const { details, refused, retry } = useCallDetails(id, live?.outcome)
  if (details === undefined)
    return refused === undefined ? (
      <p class="quiet">{translate('loading')}</p>
    ) : (
      <ActionError result={refused} retry={retry} />
    )
  const { call } = details
  return (
    <article class="card call-detail">
      <ActionError result={refused} retry={retry} />
      <div class="title">
        <h2>
          <CallOutcome outcome={call.outcome} />
          <bdi dir="ltr">{call.tool}</bdi>
        </h2>
        <span class={`tag ${call.outcome}`}>{translate(OUTCOME_NAMES[call.outcome])}</span>
      </div>
      {call.error !== null && call.error !== '' && (
        <p class="call-error">
          <UntrustedText text={call.error} />
        </p>
      )}
      <CallFacts call={call} hrefOf={hrefOf} />
      <div class="actions">
        <CopyButton label="callCopyLink" readText={() => location.href} />
        <Rerun details={details} hrefOf={hrefOf} />
      </div>
      {details.input === '' ? <p class="quiet">{translate('callDetailsMissing')}</p> : <Content details={details} />}
    </article>
  )
}

function Content({ details }: { readonly details: CallDetails }) {
  const { call, input, inputOmitted, blocks } = details
  return (
    <>
      <Part title="callInput" text={input} omitted={inputOmitted} />
      <section class="call-part">
        {blocks.length === 0 && <ResultMissing outcome={call.outcome} />}
        {blocks.map((block, index) => (
          <Block key={index} block={block} number={index + 1} />
        ))}
      </section>
    </>
  )
}

function useCallDetails(id: string, outcome: CallView['outcome'] | undefined) {
  const act = useAction()
  const { isConnected } = useServers()
  const [details, setDetails] = useState<CallDetails>()
  const [refused, setRefused] = useState<ActionResult>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (!isConnected) return undefined
    let isWanted = true
    void act('call', { id }).then((result) => {
      if (!isWanted) return
      setRefused(result.ok ? undefined : result)
      if (result.ok && isDetails(result.value)) setDetails(result.value)
    })
    return () => void (isWanted = false)
  }, [act, id, outcome, isConnected, count])
  return { details, refused, retry: () => setCount((before) => before + 1) }
}

function isDetails(value: unknown): value is CallDetails {
  return typeof value === 'object' && value !== null && 'call' in value && 'blocks' in value
}

function CallFacts({ call, hrefOf }: { readonly call: CallView } & Pick<CallDetailProps, 'hrefOf'>) {
  const { translate, formatDateTime } = useTranslator()
  return (
    <dl class="call-facts">
      <Fact name="callStarted">{formatDateTime(call.startedAt)}</Fact>
      <Fact name="callTook">
        <CallDuration call={call} />
      </Fact>
      <Fact name="callClient">{call.client === '' ? translate('callClientUnknown') : <bdi>{call.client}</bdi>}</Fact>
      <Fact name="callProject">
        <ProjectName path={call.project} />
      </Fact>
      <Fact name="callSession">
        <a href={hrefOf('session', call.session)}>{translate('timeline')}</a>{' '}
        <bdi class="quiet" dir="ltr">
          {call.session.slice(0, 8)}
        </bdi>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: TranslationKey; readonly children: preact.ComponentChildren }) {
  const { translate } = useTranslator()
  return (
    <div>
      <dt>{translate(name)}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const RERUN_PROBLEMS: Readonly<Record<RerunProblem, TranslationKey>> = {
  gone: 'callRerunGone',
  incomplete: 'callRerunIncomplete',
  tool: 'callRerunTool',
}

function Rerun({ details, hrefOf }: { readonly details: CallDetails } & Pick<CallDetailProps, 'hrefOf'>) {
  const { translate } = useTranslator()
  const act = useAction()
  const { call, input, rerunProblem } = details
  if (rerunProblem !== null) return <p class="quiet">{translate(RERUN_PROBLEMS[rerunProblem])}</p>
  const rerun = async (): Promise<ActionResult> => {
    const result = await act('rerun', { id: call.id })
    if (result.ok && isDetails(result.value)) location.hash = hrefOf(result.value.call.id)
    return result
  }
  return (
    <ConfirmButton
      label="callRerun"
      title="callRerunAsk"
      warning="callRerunMeans"
      cancelLabel="callRerunKeep"
      subject={call.tool}
      server={call.server}
      details={
        <pre class="call-text" dir="ltr" tabIndex={0} role="group" aria-label={translate('callInput')}>
          {`${call.tool} ${stripControls(input)}`}
        </pre>
      }
      act={rerun}
    />
  )
}

function ResultMissing({ outcome }: Pick<CallView, 'outcome'>) {
  const { translate } = useTranslator()
  return (
    <>
      <h3>{translate('callResult')}</h3>
      <p class="quiet">{translate(outcome === 'running' ? 'callStillRuns' : 'callNoResult')}</p>
    </>
  )
}

function Block({ block, number }: { readonly block: CallBlock; readonly number: number }) {
  const { translate, formatBytes } = useTranslator()
  if (block.type === 'text')
    return <Part title="callResult" number={number} text={block.text} omitted={block.omitted} />
  if (block.type === 'other')
    return (
      <p class="quiet call-other">
        {translate('callOther')} <bdi dir="ltr">{block.name}</bdi>
      </p>
    )
  const description = `${block.mimeType}, ${formatBytes(block.bytes)}`
  const isShown = block.data !== null && /^image\/(png|jpeg|gif|webp|avif)$/.test(block.mimeType)
  return (
    <figure class="call-image">
      {isShown && (
        <img src={`data:${block.mimeType};base64,${block.data}`} alt={`${translate('callImage')} ${number}`} />
      )}
      <figcaption class="quiet">
        {translate(isShown ? 'callImage' : 'callImageMissing')} <bdi dir="ltr">{description}</bdi>
      </figcaption>
    </figure>
  )
}

interface PartProps {
  readonly title: 'callInput' | 'callResult'
  readonly number?: number
  readonly text: string
  readonly omitted: number
}

function Part({ title, number, text, omitted }: PartProps) {
  const { translate } = useTranslator()
  const name = number === undefined || number === 1 ? translate(title) : `${translate(title)} ${number}`
  return (
    <div class="call-part">
      <div class="title">
        <h3>{name}</h3>
        <CopyButton label="copy" subject={name} readText={() => text} />
      </div>
      {/* Scrollable, so it must be focusable. */}
      <pre class="call-text" dir="auto" tabIndex={0} role="group" aria-label={name}>
        {stripControls(text)}
      </pre>
      {omitted > 0 && <p class="quiet">{translate('callOmitted', { n: omitted })}</p>}
    </div>
  )
}
