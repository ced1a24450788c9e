// A plan that waits for approval: its text, what changed, and the decision. The hash of what was shown is part of the
// decision, so a plan that has changed meanwhile is not approved. Shown by Home and the plans view. Sends actions.

import { useEffect, useState } from 'preact/hooks'

import { approvalKey } from '../../asked-items.js'
import type { ApprovalDecision, ApprovalDetails, ApprovalView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Icon } from '../components/icon.js'
import { ClientName, ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { findFocusedCard, type SettledHandler } from '../components/view-frame.js'
import { deleteDraft, markSending } from '../draft-store.js'
import { routeHref } from '../route.js'
import { markSettledHere, useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { useApprovalDraft } from './approval-draft.js'
import { PlanEditor, RejectForm } from './plan-forms.js'
import { PlanText } from './plan-text.js'
import { useArmed } from './use-armed.js'

interface ApprovalCardProps {
  readonly approval: ApprovalView
  /** On the page of the plan, which shows it without a limit. */
  readonly isWhole?: boolean
  readonly onSettled: SettledHandler
}

export function ApprovalCard({ approval, isWhole = false, onSettled }: ApprovalCardProps) {
  const { translate } = useTranslator()
  const { result, retry } = useApprovalDetails(approval)
  const { project, action } = approval
  const details = result?.ok === true && isApprovalDetails(result.value) ? result.value : undefined
  return (
    <>
      <div class="about">
        <p class="meta">
          <span class="tag">
            <Icon of="plans" />
            {translate('planApproval')}
          </span>
          <ProjectName path={project} />
          <ClientName client={approval.client} />
          <RelativeTime at={approval.requestedAt} phrase="asked" />
          {!isWhole && <a href={routeHref('plans', project)}>{translate('planPage')}</a>}
        </p>
        <p class={approval.waiting ? 'state urgent' : 'state'}>
          <span class="lamp" aria-hidden="true" />
          {translate(approval.waiting ? 'callWaits' : 'callGone')}
        </p>
      </div>
      <div>
        <h2>{translate(action === 'exit' ? 'approveAsk' : 'resetAsk')}</h2>
        {approval.goal !== '' && <UntrustedText class="goal" text={approval.goal} />}
        <p class="quiet">{translate(action === 'exit' ? 'approveMeans' : 'resetMeans')}</p>
      </div>
      {result === undefined && <p class="quiet">{translate('loading')}</p>}
      <ActionError result={result} />
      {result?.ok === false && (
        <div class="actions">
          <button class="button" type="button" onClick={retry}>
            {translate('reload')}
          </button>
        </div>
      )}
      {details && <Decision approval={approval} details={details} onSettled={onSettled} />}
    </>
  )
}

/** Its text never changes, so it is read once, and again when the connection returns after a failure. */
function useApprovalDetails({ project, id }: ApprovalView) {
  const act = useAction()
  const { isConnected } = useServers()
  const [result, setResult] = useState<ActionResult>()
  const [count, setCount] = useState(0)
  const isRead = result?.ok === true
  useEffect(() => {
    if (isRead || !isConnected) return undefined
    let isWanted = true
    void act('approval', { project, id }).then((outcome) => {
      if (isWanted) setResult(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, project, id, isRead, isConnected, count])
  return { result, retry: () => setCount((before) => before + 1) }
}

interface DecisionProps extends Omit<ApprovalCardProps, 'isWhole'> {
  readonly details: ApprovalDetails
}

function Decision({ approval, details, onSettled }: DecisionProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const { draft, change } = useApprovalDraft(approval)
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<ActionResult>()
  const replaces = useReplaced(approval)
  const { hash, text, discarded, changes } = details
  const shown = text ?? discarded

  const decide = async (decision: Omit<ApprovalDecision, 'hash'>): Promise<void> => {
    const card = findFocusedCard()
    const key = approvalKey(approval)
    setBusy(true)
    const unmark = [markSettledHere(key), markSending(key)]
    const outcome = await act('decide', { project: approval.project, id: approval.id, hash, ...decision })
    setResult(outcome)
    // A decided card takes no other decision until it goes away.
    if (!outcome.ok) {
      setBusy(false)
      return unmark.forEach((undo) => undo())
    }
    deleteDraft(key)
    shownApprovals.delete(approval.project)
    onSettled(translate(decision.outcome === 'approved' ? 'approvedSent' : 'rejectedSent'), card)
  }
  const form = { isBusy, result, cancel: () => change({ mode: 'read' }) }

  if (draft.mode === 'edit' && text !== null)
    return (
      <PlanEditor
        {...form}
        text={draft.edited ?? text}
        change={(edited) => change({ edited: edited === text ? null : edited })}
        submit={() => void decide({ outcome: 'approved', text: draft.edited ?? text })}
      />
    )
  return (
    <>
      {replaces && <p class="changed">{translate('planReplaced')}</p>}
      {shown !== null && (
        <PlanText text={shown} changes={changes} label={translate(text === null ? 'planDiscarded' : 'planText')} />
      )}
      {draft.mode === 'reject' ? (
        <RejectForm
          {...form}
          text={draft.comment}
          change={(comment) => change({ comment })}
          submit={() => void decide({ outcome: 'rejected', comment: draft.comment })}
        />
      ) : (
        <>
          <ActionError result={result} />
          <Buttons
            isBusy={isBusy}
            canEdit={text !== null}
            isEdited={draft.edited !== null}
            approve={() => void decide({ outcome: 'approved' })}
            setMode={(mode) => change({ mode })}
          />
        </>
      )}
    </>
  )
}

interface ButtonsProps {
  readonly isBusy: boolean
  readonly canEdit: boolean
  readonly isEdited: boolean
  readonly approve: () => void
  readonly setMode: (mode: 'reject' | 'edit') => void
}

/** No key approves: only this button does, a second after the plan appeared. */
function Buttons({ isBusy, canEdit, isEdited, approve, setMode }: ButtonsProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const isArmed = useArmed()
  return (
    <>
      {isEdited && <p class="quiet">{translate('planEditKept')}</p>}
      <div class="actions">
        <button
          class="button main"
          type="button"
          disabled={isBusy || !canAct}
          aria-disabled={!isArmed}
          onClick={() => isArmed && approve()}
        >
          {translate(isBusy ? 'sending' : 'approve')}
        </button>
        <button class="button" type="button" disabled={isBusy || !canAct} onClick={() => setMode('reject')}>
          {translate('reject')}
        </button>
        {canEdit && (
          <button class="button" type="button" disabled={isBusy} onClick={() => setMode('edit')}>
            {translate(isEdited ? 'editPlanOn' : 'editPlan')}
          </button>
        )}
      </div>
    </>
  )
}

/** The approval of each project that was shown last and not decided on this page. */
const shownApprovals = new Map<string, number>()

/** Whether the model has replaced the plan that was shown before. */
function useReplaced({ project, id }: ApprovalView): boolean {
  const [replaces] = useState(() => (shownApprovals.get(project) ?? id) !== id)
  useEffect(() => void shownApprovals.set(project, id), [project, id])
  return replaces
}

/** The content comes from our own server and is not validated. */
function isApprovalDetails(value: unknown): value is ApprovalDetails {
  return typeof value === 'object' && value !== null && 'hash' in value && 'changes' in value
}
