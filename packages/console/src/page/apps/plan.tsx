// View of PlanMode in the chat: the plan as Markdown with what changed in it, and where the user decides about it. It has no
// button to approve: a call of a view does not prove that a person clicked. Built to a file of its own.

import type { AppPlan } from '@scorpiox/server/calls/app-data'
import type { TranslationKey } from '../../i18n/translator.js'
import { Icon } from '../components/icon.js'
import { TranslatedText, UntrustedText } from '../components/text.js'
import { useTranslator } from '../use-translator.js'
import { PlanText } from '../views/plan-text.js'
import { isFields, textOf } from './app-host.js'
import { type AppViewProps, FullscreenButton, Loading, NotUpToDate, renderApp, ResultText } from './app-frame.js'
import { useAppData } from './use-app-data.js'

const POLL_MS = 2000

const STATES: Readonly<Record<AppPlan['state'], TranslationKey>> = {
  none: 'appPlanNone',
  writing: 'appPlanWriting',
  waiting: 'appPlanWaiting',
  accepted: 'appPlanAccepted',
  discarded: 'appPlanDiscarded',
}

function PlanApp({ host, input, result, context }: AppViewProps) {
  const { translate } = useTranslator()
  const isOpen = result === undefined || result.data.approval === 'pending'
  const { data, isBehind } = useAppData(
    host,
    { uri: 'ui://scorpiox-code/data/plan', everyMs: isOpen ? POLL_MS : undefined },
    isAppPlan,
  )
  const submitted = textOf(input.plan)
  const text = submitted.trim() === '' ? (data?.text ?? '') : submitted
  // A view of an earlier call does not show the state of a later plan.
  const isCurrent = data !== undefined && (data.text === text || submitted === '')
  const isUnknown = data === undefined && (isBehind || !host.canRead)
  const state = readDecision(result, isUnknown) ?? (isCurrent ? data.state : undefined)
  const goal = textOf(input.goal) || (isCurrent ? data.goal : '')
  return (
    <>
      <div class="app-head">
        {state !== undefined && (
          <p class={state === 'waiting' ? 'state urgent' : 'state'} role="status">
            <span class="tag">
              <Icon of="plans" />
              {translate(STATES[state])}
            </span>
          </p>
        )}
        <FullscreenButton host={host} context={context} />
      </div>
      {goal !== '' && (
        <h2>
          <UntrustedText text={goal} />
        </h2>
      )}
      {text === '' ? (
        <NoText data={data} isUnknown={isUnknown} result={result} />
      ) : (
        <PlanText text={text} changes={isCurrent ? data.changes : []} label={translate('planText')} />
      )}
      {state === 'waiting' && (
        <p class="note">
          <TranslatedText
            textKey="appApproveElsewhere"
            values={{
              page: <code dir="ltr">scorpiox-code ui</code>,
              inbox: <code dir="ltr">scorpiox-code inbox</code>,
            }}
          />
        </p>
      )}
      {isBehind && <NotUpToDate />}
    </>
  )
}

interface NoTextProps extends Pick<AppViewProps, 'result'> {
  readonly data: AppPlan | undefined
  /** The plan cannot be read. */
  readonly isUnknown: boolean
}

function NoText({ data, isUnknown, result }: NoTextProps) {
  const { translate } = useTranslator()
  if (isUnknown) return <ResultText result={result} />
  return data === undefined ? <Loading /> : <p class="quiet">{translate('planEmpty')}</p>
}

/** What the call has ended with. `isUnknown`: what has been decided since cannot be read. */
function readDecision(result: AppViewProps['result'], isUnknown: boolean): AppPlan['state'] | undefined {
  const { approval, active } = result?.data ?? {}
  if (approval === 'pending' && isUnknown) return 'waiting'
  if (approval === 'rejected') return 'writing'
  if (approval === 'approved' && active === false) return 'accepted'
  return undefined
}

function isAppPlan(value: unknown): value is AppPlan {
  return isFields(value) && 'state' in value && 'changes' in value
}

renderApp('plan', 'planText', PlanApp)
