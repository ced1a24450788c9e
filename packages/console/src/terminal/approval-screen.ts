// Screen of a plan that waits for approval: reads it and what changed, approves, rejects with a comment, or edits it.
// Opened by screens.ts. Reads and writes the terminal, starts an editor, and decides through the console.

import { Failure } from '@scorpiox/mcp/errors'
import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { ApprovalDecision, ApprovalDetails, ApprovalView } from '../view.js'
import { formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import { fitLine, type InboxContext, rowsAbove, runAction, showFullText, wrapToScreen } from './inbox-context.js'
import type { PromptEntry, PromptMenu } from './prompts.js'

type ApprovalChoice = 'back' | 'read' | 'changes' | 'approve' | 'reject' | 'edit'

export async function decideApproval(context: InboxContext, approval: ApprovalView): Promise<void> {
  let details: ApprovalDetails | undefined
  await runAction(context, async () => void (details = await context.userConsole.readApproval(approval)), '')
  if (!details) return
  const { translate } = context.translator
  const shownDetails = details
  for (let at: ApprovalChoice = 'read'; ;) {
    const { statusLine } = context
    const menu = (): PromptMenu<ApprovalChoice> => createMenu(context, approval, shownDetails, statusLine)
    const choice: ApprovalChoice | undefined = await context.prompts.choose(menu, at)
    context.statusLine = ''
    if (choice === undefined || choice === 'back') {
      context.statusLine = translate(isOpen(context, approval) ? 'notSent' : 'answeredElsewhere')
      return
    }
    at = choice
    if (choice === 'read') await showFullText(context, shownText(context, shownDetails))
    else if (choice === 'changes') await showFullText(context, formatChanges(shownDetails))
    else {
      const decision = await askForDecision(context, choice, shownDetails)
      if (decision) return sendDecision(context, approval, { ...decision, hash: shownDetails.hash })
    }
  }
}

function isOpen(context: InboxContext, { project, id }: ApprovalView): boolean {
  return context.view().approvals.some((open) => open.id === id && open.project === project)
}

function sendDecision(context: InboxContext, approval: ApprovalView, decision: ApprovalDecision): Promise<void> {
  const sent = context.translator.translate(decision.outcome === 'approved' ? 'approvedSent' : 'rejectedSent')
  return runAction(context, () => context.userConsole.decide(approval, decision, 'inbox'), sent)
}

/** Undefined if the user goes back. */
async function askForDecision(
  context: InboxContext,
  choice: 'approve' | 'reject' | 'edit',
  details: ApprovalDetails,
): Promise<Omit<ApprovalDecision, 'hash'> | undefined> {
  if (choice === 'approve') return { outcome: 'approved' }
  if (choice === 'edit') return editPlan(context, details.text ?? '')
  const comment = await context.prompts.enterText(context.translator.translate('rejectComment'), { isOptional: true })
  return comment === undefined ? undefined : { outcome: 'rejected', comment }
}

async function editPlan(context: InboxContext, text: string): Promise<Omit<ApprovalDecision, 'hash'> | undefined> {
  const { screen, translator, prompts } = context
  const { translate } = translator
  try {
    const edited = await screen.runOutside(() => context.editText(text))
    if (edited === text) context.statusLine = translate('notEdited')
    else if (await prompts.confirm(translate('approveEditedAsk'), translate('approve')))
      return { outcome: 'approved', text: edited }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.statusLine = translate('editorFailed', { reason: sanitizeLine(error.message) })
  }
  return undefined
}

function createMenu(
  context: InboxContext,
  approval: ApprovalView,
  details: ApprovalDetails,
  statusLine: string,
): PromptMenu<ApprovalChoice> {
  const { translate } = context.translator
  const { action, goal, project, waiting } = approval
  const entries: readonly PromptEntry<ApprovalChoice>[] = [
    { value: 'read', label: translate('planRead') },
    ...(details.changes.length > 0 ? [{ value: 'changes', label: translate('planChanges') } as const] : []),
    { value: 'approve', label: translate('approve') },
    { value: 'reject', label: translate('rejectMore') },
    ...(details.text === null ? [] : [{ value: 'edit', label: translate('editMore') } as const]),
    { value: 'back', label: translate('back') },
  ]
  const heading = [
    joinParts(formatProjectName(project), translate(waiting ? 'callWaitsForThis' : 'callHasEnded')),
    joinParts(translate(action === 'exit' ? 'approveAsk' : 'resetAsk'), sanitizeLine(goal)),
    translate(action === 'exit' ? 'approveMeans' : 'resetMeans'),
    ...(statusLine === '' ? [] : [statusLine]),
  ].map((line) => fitLine(context, line))
  const lines = wrapToScreen(context, shownText(context, details).trimEnd())
  const maxRows = Math.max(1, rowsAbove(context, entries.length) - heading.length - 1)
  const preview = lines.length > maxRows ? [...lines.slice(0, maxRows - 1), '…'] : lines
  return { message: [...heading, ...preview].join('\n'), entries }
}

function shownText(context: InboxContext, { text, discarded }: ApprovalDetails): string {
  return showControlCharacters(text ?? discarded ?? context.translator.translate('planEmpty'))
}

function formatChanges({ changes }: ApprovalDetails): string {
  return showControlCharacters(changes.map((line) => (line === null ? '…' : `${line.mark} ${line.text}`)).join('\n'))
}
