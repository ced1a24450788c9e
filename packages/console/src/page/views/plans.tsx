// Open plans: a list of the projects that have one, and the plan of the chosen project with what changed and, if it waits
// for approval, the decision. Shown by console-page. Requests the text of plans.

import { useEffect, useRef, useState } from 'preact/hooks'

import { approvalKey } from '../../asked-items.js'
import type { ApprovalView, OpenPlanView, PlanDetails, ProjectView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { SplitView } from '../components/split-view.js'
import { ClientName, ProjectName, projectNameOf, RelativeTime, UntrustedText } from '../components/text.js'
import { type SettledHandler, ViewFrame } from '../components/view-frame.js'
import { routeHref } from '../route.js'
import { useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { ApprovalCard } from './approval-card.js'
import { PlanText } from './plan-text.js'

interface PlansViewProps {
  readonly projects: readonly ProjectView[]
  readonly approvals: readonly ApprovalView[]
  /** The project whose plan is open, from the address. */
  readonly path: readonly string[]
  readonly onSettled: SettledHandler
}

interface ProjectPlan {
  readonly project: string
  readonly plan: OpenPlanView
  readonly approval: ApprovalView | undefined
}

export function PlansView({ projects, approvals, path: [wanted], onSettled }: PlansViewProps) {
  const { translate } = useTranslator()
  const plans = projects.flatMap(({ project, plan }): readonly ProjectPlan[] => {
    const approval = approvals.find((each) => each.project === project)
    return plan === null ? [] : [{ project, plan, approval }]
  })
  const [onlyPlan] = plans.length === 1 ? plans : []
  const opened = wanted === undefined ? onlyPlan : plans.find(({ project }) => project === wanted)
  useAddressOfOnlyPlan(onlyPlan?.project, wanted, opened !== undefined)
  const detail = opened && <PlanPane key={opened.project} {...opened} onSettled={onSettled} />
  return (
    <ViewFrame
      view="plans"
      summary={{ phrase: 'plansOpen', n: plans.length }}
      empty={{ phrase: 'plansNone', how: 'plansHow', tool: 'PlanMode' }}
      isEmpty={plans.length === 0 && wanted === undefined}
    >
      <SplitView
        list={<PlanList plans={plans} opened={opened?.project} />}
        detail={detail ?? (wanted === undefined ? undefined : <p class="quiet">{translate('planEnded')}</p>)}
        detailKey={opened?.project ?? wanted ?? ''}
        detailLabel={`${translate('planText')}: ${projectNameOf(opened?.project ?? wanted ?? '')}`}
        backHref={routeHref('plans')}
        placeholder={translate('planChoose')}
        isAlone={opened !== undefined && opened === onlyPlan}
      />
    </ViewFrame>
  )
}

/** Gives the only plan its address, so that it stays open when another one appears. */
function useAddressOfOnlyPlan(only: string | undefined, wanted: string | undefined, isOpen: boolean): void {
  const given = useRef<string>(undefined)
  useEffect(() => {
    if (wanted === undefined && only !== undefined) {
      given.current = only
      location.replace(routeHref('plans', only))
    } else if (wanted !== undefined && wanted === given.current && !isOpen) {
      given.current = undefined
      location.replace(routeHref('plans'))
    }
  }, [only, wanted, isOpen])
}

interface PlanListProps {
  readonly plans: readonly ProjectPlan[]
  readonly opened: string | undefined
}

function PlanList({ plans, opened }: PlanListProps) {
  const { translate } = useTranslator()
  return (
    <ul class="cards plan-list">
      {plans.map(({ project, plan, approval }) => (
        <li key={project} class={project === opened ? 'card current' : 'card'}>
          <a href={routeHref('plans', project)} aria-current={project === opened ? 'true' : undefined}>
            <ProjectName path={project} />
            {plan.goal !== '' && <UntrustedText class="goal" text={plan.goal} />}
          </a>
          <p class="meta">
            {approval && <span class="tag">{translate('planApproval')}</span>}
            <ClientName client={approval?.client} />
            <RelativeTime at={plan.startedAt} phrase="since" />
          </p>
        </li>
      ))}
    </ul>
  )
}

function PlanPane({ project, plan, approval, onSettled }: ProjectPlan & { readonly onSettled: SettledHandler }) {
  if (approval)
    return (
      <div class="card plan-pane" key={approvalKey(approval)}>
        <ApprovalCard approval={approval} isWhole onSettled={onSettled} />
      </div>
    )
  return <DraftPane project={project} plan={plan} />
}

/** A plan that is still written. */
function DraftPane({ project, plan }: { readonly project: string; readonly plan: OpenPlanView }) {
  const { translate } = useTranslator()
  const { result, reload } = usePlanDetails(project, plan.version)
  const details = result?.ok === true && isPlanDetails(result.value) ? result.value : undefined
  return (
    <div class="card plan-pane">
      <p class="meta">
        <span class="tag">{translate('planOpen')}</span>
        <ProjectName path={project} />
        <RelativeTime at={plan.startedAt} phrase="since" />
      </p>
      {plan.goal !== '' && (
        <h2>
          <UntrustedText class="goal" text={plan.goal} />
        </h2>
      )}
      {result === undefined ? <p class="quiet">{translate('loading')}</p> : <ActionError result={result} />}
      {details?.text === null && <p class="quiet none">{translate('planEmpty')}</p>}
      {typeof details?.text === 'string' && (
        <PlanText text={details.text} changes={details.changes} label={translate('planText')} />
      )}
      <div class="actions">
        <button class="button" type="button" onClick={reload}>
          {translate('reload')}
        </button>
        <a class="button" href={routeHref('tasks')}>
          {translate('tasks')}
        </a>
      </div>
    </div>
  )
}

/** Read again when a draft is saved, and when the connection returns. The text shown last stays meanwhile. */
function usePlanDetails(project: string, version: number) {
  const act = useAction()
  const { isConnected } = useServers()
  const [result, setResult] = useState<ActionResult>()
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (!isConnected) return undefined
    let isWanted = true
    void act('plan', { project }).then((outcome) => {
      if (isWanted) setResult(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, project, version, isConnected, count])
  return { result, reload: () => setCount((before) => before + 1) }
}

/** The content comes from our own server and is not validated. */
function isPlanDetails(value: unknown): value is PlanDetails {
  return typeof value === 'object' && value !== null && 'text' in value && 'changes' in value
}
