// The pane of a plan that waits for approval: the plan, what changed, and the decision. A comment and an edited plan are
// kept until the decision was accepted. Opened by home-screen.ts. Starts an editor, and decides through the console.

import { Failure } from '@scorpiox/mcp/errors'
import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { ApprovalDecision, ApprovalDetails, ApprovalView } from '../view.js'
import { changedRows } from './changed-rows.js'
import { formatClient, formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import { createScroller, type KeyBinding, type Pane } from './pane.js'
import { type Row, wrapText } from './rows.js'

type Decision = Omit<ApprovalDecision, 'hash'>

/** What was typed and edited so far about the plan of one project. */
export interface PlanDecisionDraft {
  readonly project: string
  goal: string
  comment: string
  edited: EditedPlan | undefined
}

interface EditedPlan {
  readonly text: string
  /** The hash of the plan that was edited: the model may have replaced it. */
  readonly hash: string
}

export function createPlanDecisionDraft({ project, goal }: ApprovalView): PlanDecisionDraft {
  return { project, goal, comment: '', edited: undefined }
}

export interface ApprovalPaneOptions {
  readonly approval: ApprovalView
  readonly draft: PlanDecisionDraft
  /** The decision was accepted: the draft is no longer needed. */
  readonly onDecided: () => void
}

export function createApprovalPane(context: InboxContext, { approval, draft, onDecided }: ApprovalPaneOptions): Pane {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  const scroller = createScroller(translator)
  const isExit = approval.action === 'exit'
  let details: ApprovalDetails | undefined
  let problem = ''
  let shown: 'plan' | 'changes' | 'edited' = 'plan'
  let isDecided = false
  const find = (): ApprovalView | undefined =>
    view().approvals.find(({ id, project }) => id === approval.id && project === approval.project)
  const isOpen = (): boolean => find() !== undefined

  async function load(): Promise<void> {
    try {
      details = await userConsole.readApproval(approval)
      if (draft.edited?.hash === details.hash) shown = 'edited'
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    ui.redraw()
  }

  function bodyRows(columns: number): readonly Row[] {
    if (!details) return wrapText(problem || translate('loading'), columns, problem ? 'bad' : 'dim')
    if (shown === 'changes') return changedRows(details.changes, columns)
    return wrapText(shownText(details), columns)
  }

  function shownText({ text, discarded }: ApprovalDetails): string {
    const edited = shown === 'edited' ? draft.edited?.text : undefined
    return showControlCharacters((edited ?? text ?? discarded ?? translate('planEmpty')).trimEnd())
  }

  /** What about an edited plan the decision depends on. */
  function editedRows(columns: number): readonly Row[] {
    if (shown === 'edited') return wrapText(translate('editedPlan'), columns, 'bold')
    const { edited } = draft
    if (!edited) return []
    const isReplaced = details !== undefined && details.hash !== edited.hash
    return wrapText(translate(isReplaced ? 'editedOlderPlan' : 'planEditKept'), columns, 'warning')
  }

  async function decide({ hash }: ApprovalDetails, decision: Decision): Promise<void> {
    const sent = translate(decision.outcome === 'approved' ? 'approvedSent' : 'rejectedSent')
    isDecided = await ui.run(() => userConsole.decide(approval, { ...decision, hash }, 'inbox'), sent)
    if (isDecided) onDecided()
    if (isDecided || !isOpen()) ui.closePane()
  }

  /** Approves what is on the screen. */
  async function approve(plan: ApprovalDetails): Promise<void> {
    const edited = shown === 'edited' ? draft.edited : undefined
    const question = edited ? 'approveEditedAsk' : isExit ? 'approveAsk' : 'resetAsk'
    if (await ui.confirm(translate(question), translate('approve')))
      await decide(plan, { outcome: 'approved', ...(edited && { text: edited.text }) })
    else ui.setStatus(translate(edited ? 'editKept' : 'notSent'))
  }

  async function reject(plan: ApprovalDetails): Promise<void> {
    const comment = await ui.enterText({
      message: translate('rejectComment'),
      isOptional: true,
      initial: draft.comment,
      onChange: (typed) => void (draft.comment = typed),
    })
    if (comment !== undefined) await decide(plan, { outcome: 'rejected', comment })
  }

  async function edit(plan: ApprovalDetails): Promise<void> {
    const original = plan.text ?? ''
    const before = draft.edited?.text ?? original
    let text: string
    try {
      text = await ui.away((screen) => screen.runOutside(() => context.editText(before)))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return ui.setStatus(translate('editorFailed', { reason: sanitizeLine(error.message) }))
    }
    if (text === original) return discardEdited('notEdited')
    if (text !== before) draft.edited = { text, hash: plan.hash }
    if (!isOpen()) {
      ui.setStatus(translate('editKeptPlanGone'))
      return ui.closePane()
    }
    show('edited')
    await approve(plan)
  }

  function discardEdited(status: 'notEdited' | 'editDiscarded'): void {
    draft.edited = undefined
    show('plan')
    ui.setStatus(translate(status))
  }

  async function discard(): Promise<void> {
    if (await ui.confirm(translate('discardEditedAsk'), translate('discard'))) discardEdited('editDiscarded')
  }

  function show(part: typeof shown): void {
    shown = part
    scroller.toStart()
  }

  function decisionBindings(plan: ApprovalDetails): readonly KeyBinding[] {
    const isEdited = draft.edited !== undefined
    const toggle = (part: 'changes' | 'edited') => () => show(shown === part ? 'plan' : part)
    return [
      { keys: ['a'], hint: 'a', label: translate('approve'), run: () => approve(plan) },
      { keys: ['r'], hint: 'r', label: translate('rejectMore'), run: () => reject(plan) },
      ...(plan.text === null
        ? []
        : [{ keys: ['e'], hint: 'e', label: translate(isEdited ? 'editPlanOn' : 'editMore'), run: () => edit(plan) }]),
      ...(isEdited
        ? [
            {
              keys: ['v'],
              hint: 'v',
              label: translate(shown === 'edited' ? 'planText' : 'editedPlan'),
              run: toggle('edited'),
            },
            { keys: ['x'], hint: 'x', label: translate('discardEdited'), run: discard },
          ]
        : []),
      ...(plan.changes.length > 0
        ? [
            {
              keys: ['d'],
              hint: 'd',
              label: translate(shown === 'changes' ? 'planText' : 'planChanges'),
              run: toggle('changes'),
            },
          ]
        : []),
      { keys: ['o'], hint: 'o', label: translate('readAll'), run: () => ui.showFullText(shownText(plan)) },
    ]
  }

  return {
    show: () => void load(),
    draw({ columns, rows }) {
      const title = joinParts(translate(isExit ? 'approveAsk' : 'resetAsk'), sanitizeLine(approval.goal))
      const waiting = translate(approval.waiting ? 'callWaitsForThis' : 'callHasEnded')
      const found = find()
      const state = found
        ? wrapText(joinParts(formatProjectName(approval.project), formatClient(found), waiting), columns, 'dim')
        : wrapText(translate('answeredElsewhere'), columns, 'warning')
      const heading: readonly Row[] = [
        ...wrapText(title, columns, 'accent').slice(0, 2),
        ...state,
        ...(rows >= 12 ? wrapText(translate(isExit ? 'approveMeans' : 'resetMeans'), columns, 'dim') : []),
        ...editedRows(columns),
        ...(shown === 'changes' ? wrapText(translate('planChanges'), columns, 'bold') : []),
        ...(rows >= 12 ? [[]] : []),
      ]
      return [...heading, ...scroller.cut(bodyRows(columns), Math.max(1, rows - heading.length))]
    },
    bindings: () => [...(details ? decisionBindings(details) : []), ...scroller.bindings(translate('scroll'))],
    leave() {
      if (isDecided) return ''
      if (!isOpen()) return translate(draft.edited ? 'editKeptPlanGone' : 'answeredElsewhere')
      return translate(draft.edited ? 'editKept' : 'notSent')
    },
  }
}
