// The state of an unfinished decision about a plan: what the user does with it, the comment and the edited text. It survives
// a change of the view and a reload. Used by the approval card. Reads and writes the draft store.

import { useState } from 'preact/hooks'

import { approvalKey } from '../../asked-items.js'
import type { ApprovalView } from '../../view.js'
import { deleteDraft, readDraft, saveDraft } from '../draft-store.js'

export interface ApprovalDraft {
  readonly mode: 'read' | 'reject' | 'edit'
  readonly comment: string
  /** Null: as it was shown. */
  readonly edited: string | null
}

const EMPTY: ApprovalDraft = { mode: 'read', comment: '', edited: null }

export function useApprovalDraft(approval: ApprovalView) {
  const key = approvalKey(approval)
  const [draft, setDraft] = useState<ApprovalDraft>(() => parseDraft(readDraft(key)))
  const change = (part: Partial<ApprovalDraft>): void => {
    const form = { ...draft, ...part }
    setDraft(form)
    const typed = [form.comment, form.edited ?? ''].filter((text) => text !== '')
    if (typed.length === 0) deleteDraft(key)
    else saveDraft({ key, project: approval.project, title: approval.goal, typed, form })
  }
  return { draft, change }
}

function parseDraft(value: unknown): ApprovalDraft {
  if (typeof value !== 'object' || value === null) return EMPTY
  const { mode, comment, edited } = { ...EMPTY, ...value }
  const isKnown = mode === 'reject' || mode === 'edit'
  return {
    mode: isKnown ? mode : 'read',
    comment: typeof comment === 'string' ? comment : '',
    edited: typeof edited === 'string' ? edited : null,
  }
}
