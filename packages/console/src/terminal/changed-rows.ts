// The rows of a difference between two versions of a plan. Used by approval-pane.ts and plan-pane.ts. Pure.

import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { ChangedLine } from '../view.js'
import { type Row, type Style, wrapText } from './rows.js'

const MARK_STYLES: Readonly<Record<string, Style>> = { '+': 'good', '-': 'bad' }

export function changedRows(changes: readonly (ChangedLine | null)[], columns: number): readonly Row[] {
  return changes.flatMap((line): readonly Row[] => {
    if (line === null) return [['…']]
    return wrapText(showControlCharacters(`${line.mark} ${line.text}`), columns, MARK_STYLES[line.mark])
  })
}
