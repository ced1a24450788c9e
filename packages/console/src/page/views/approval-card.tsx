// A plan that waits for approval: its text, what changed, and the decision. The hash of what was shown is part of the
// decision, so a plan that has changed meanwhile is not approved. Shown by questions.tsx. Sends actions.

import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { ApprovalDecision, ApprovalDetails, ApprovalView, ChangedLine } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Icon } from '../components/icon.js'
import { Markdown } from '../components/markdown.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { findFocusedCard, type SettledHandler } from '../components/view-frame.js'
import { approvalKey, markSettledHere, useAction } from '../use-console.js'
import { useTranslator } from '../use-translator.js'

interface ApprovalCardProps {
  readonly approval: ApprovalView
  readonly onSettled: SettledHandler
}

export function ApprovalCard({ approval, onSettled }: ApprovalCardProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const [result, setResult] = useState<ActionResult>()
  const { project, id, action } = approval
  useEffect(() => {
    let isWanted = true
    void act('approval', { project, id }).then((outcome) => {
      if (isWanted) setResult(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, project, id])
  const details = result?.ok === true && isApprovalDetails(result.value) ? result.value : undefined
  return (
    <>
      <div class="about">
        <p class="meta">
          <span class="tag">
            <Icon of="plan" />
            {translate('planApproval')}
          </span>
          <ProjectName path={project} />
          <RelativeTime at={approval.requestedAt} phrase="asked" />
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
      {details && <Decision approval={approval} details={details} onSettled={onSettled} />}
    </>
  )
}

interface DecisionProps extends ApprovalCardProps {
  readonly details: ApprovalDetails
}

function Decision({ approval, details, onSettled }: DecisionProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const [mode, setMode] = useState<'read' | 'reject' | 'edit'>('read')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<ActionResult>()
  const { hash, text, discarded, changes } = details

  const decide = async (decision: Omit<ApprovalDecision, 'hash'>): Promise<void> => {
    const card = findFocusedCard()
    setBusy(true)
    const unmark = markSettledHere(approvalKey(approval))
    const outcome = await act('decide', { project: approval.project, id: approval.id, hash, ...decision })
    setBusy(false)
    setResult(outcome)
    if (!outcome.ok) return unmark()
    onSettled(translate(decision.outcome === 'approved' ? 'approvedSent' : 'rejectedSent'), card)
  }

  if (mode === 'edit' && text !== null)
    return (
      <TextForm
        label={translate('editedPlan')}
        submitLabel={translate('approveEdited')}
        initial={text}
        isRequired
        isBusy={isBusy}
        result={result}
        submit={(edited) => void decide({ outcome: 'approved', text: edited })}
        cancel={() => setMode('read')}
      />
    )
  const shown = text ?? discarded
  return (
    <>
      {shown !== null && <Markdown text={shown} label={translate(text === null ? 'planDiscarded' : 'planText')} />}
      {changes.length > 0 && <Changes lines={changes} />}
      {mode === 'reject' ? (
        <TextForm
          label={translate('rejectComment')}
          submitLabel={translate('reject')}
          isDanger
          isBusy={isBusy}
          result={result}
          submit={(comment) => void decide({ outcome: 'rejected', comment })}
          cancel={() => setMode('read')}
        />
      ) : (
        <>
          <ActionError result={result} />
          <div class="actions">
            <button
              class="button main"
              type="button"
              disabled={isBusy}
              onClick={() => void decide({ outcome: 'approved' })}
            >
              {translate(isBusy ? 'sending' : 'approve')}
            </button>
            <button class="button" type="button" disabled={isBusy} onClick={() => setMode('reject')}>
              {translate('reject')}
            </button>
            {text !== null && (
              <button class="button" type="button" disabled={isBusy} onClick={() => setMode('edit')}>
                {translate('editPlan')}
              </button>
            )}
          </div>
        </>
      )}
    </>
  )
}

function Changes({ lines }: { readonly lines: ApprovalDetails['changes'] }) {
  const { translate } = useTranslator()
  return (
    <details open>
      <summary>{translate('planChanges')}</summary>
      <pre class="changes" tabIndex={0} role="group" aria-label={translate('planChanges')}>
        {lines.map((line, index) =>
          line === null ? (
            <span key={index} class="quiet">
              …{'\n'}
            </span>
          ) : (
            <ChangeLine key={index} line={line} />
          ),
        )}
      </pre>
    </details>
  )
}

function ChangeLine({ line: { mark, text } }: { readonly line: ChangedLine }) {
  const content = `${mark} ${stripControls(text)}\n`
  if (mark === ' ') return <span>{content}</span>
  return mark === '+' ? <ins>{content}</ins> : <del>{content}</del>
}

interface TextFormProps {
  readonly label: string
  readonly submitLabel: string
  readonly initial?: string
  readonly isRequired?: boolean
  readonly isDanger?: boolean
  readonly isBusy: boolean
  readonly result: ActionResult | undefined
  readonly submit: (text: string) => void
  readonly cancel: () => void
}

/** A text area that takes the focus, and its buttons. */
function TextForm({ label, submitLabel, initial = '', isRequired = false, isDanger = false, ...form }: TextFormProps) {
  const { translate } = useTranslator()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(initial)
  useEffect(() => field.current?.focus(), [])
  const send = (event: Event): void => {
    event.preventDefault()
    form.submit(text)
  }
  return (
    <form class="asking" onSubmit={send}>
      <div class="writing">
        <label for={id}>{label}</label>
        <textarea
          ref={field}
          id={id}
          class="field"
          dir="auto"
          rows={initial === '' ? 3 : 16}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ActionError result={form.result} />
      <div class="actions">
        <button
          class={isDanger ? 'button danger main' : 'button main'}
          type="submit"
          disabled={form.isBusy || (isRequired && text.trim() === '')}
        >
          {form.isBusy ? translate('sending') : submitLabel}
        </button>
        <button class="button" type="button" disabled={form.isBusy} onClick={form.cancel}>
          {translate('backToPlan')}
        </button>
      </div>
    </form>
  )
}

/** The content comes from our own server and is not validated. */
function isApprovalDetails(value: unknown): value is ApprovalDetails {
  return typeof value === 'object' && value !== null && 'hash' in value && 'changes' in value
}
