// Creates a task from the checklist of an accepted plan, with its items as steps, and parses such a checklist (`- [ ]`, `*
// [x]`, `1. [ ]`, at any depth, outside code and comments). Used by decide-plan. Parsing is pure; the task is written to
// the given table.

import { toSingleLine } from '../../text/format.js'
import type { TaskRow, TaskTable } from '../tasks/index.js'

const MAX_ITEMS = 500
const MAX_CHARACTERS = 1000

export interface ChecklistItem {
  readonly text: string
  readonly done: boolean
}

export interface Checklist {
  readonly items: readonly ChecklistItem[]
  /** Items in the document; may be more than `items` holds. */
  readonly total: number
  /** Items that were truncated because they were too long. */
  readonly truncatedItems: number
}

const ITEM = /^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(\S.*)$/
const HEADING = /^ {0,3}#{1,6}\s+(\S.*)$/

export function parseChecklist(markdown: string): Checklist {
  const found = plainLines(markdown).flatMap((line): ChecklistItem[] => {
    const [, mark = '', text = ''] = ITEM.exec(line) ?? []
    return text === '' ? [] : [{ text, done: mark !== ' ' }]
  })
  const kept = found.slice(0, MAX_ITEMS)
  const items = kept.map(({ text, done }) => ({ text: toSingleLine(text, MAX_CHARACTERS), done }))
  return { items, total: found.length, truncatedItems: kept.filter(({ text }) => text.length > MAX_CHARACTERS).length }
}

/** Returns the text of the first heading, or an empty string. */
export function findFirstHeading(markdown: string): string {
  const [heading = ''] = plainLines(markdown).flatMap((line) => HEADING.exec(line)?.[1] ?? [])
  return heading.replace(/\s#+$/, '').trim()
}

/** Returns the lines outside fenced code and comments, without trailing white space. */
function plainLines(markdown: string): readonly string[] {
  let fence = ''
  let isComment = false
  return markdown
    .split(/\r\n|\r|\n/)
    .filter((line) => {
      if (isComment) {
        isComment = !line.includes('-->')
        return false
      }
      const marker = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
      if (fence !== '') {
        if (isFenceEnd(line, marker, fence)) fence = ''
        return false
      }
      if (isFenceStart(line, marker)) {
        fence = marker
        return false
      }
      isComment = line.lastIndexOf('<!--') > line.lastIndexOf('-->')
      return true
    })
    .map((line) => line.trimEnd())
}

/** The info string of a backtick fence contains no backticks; otherwise the line is inline code. */
function isFenceStart(line: string, marker: string): boolean {
  return marker !== '' && !(marker.startsWith('`') && line.slice(line.indexOf(marker) + marker.length).includes('`'))
}

function isFenceEnd(line: string, marker: string, fence: string): boolean {
  return (
    marker.startsWith(fence) && line.trimEnd().endsWith(marker) && /^[\s>]*$/.test(line.slice(0, line.indexOf(marker)))
  )
}

const MAX_NAME = 200

export interface CreatedPlanTask {
  readonly id: number
  readonly name: string
  readonly items: number
  /** Items beyond the limit. */
  readonly omittedItems: number
  /** Items that were truncated because they were too long. */
  readonly truncatedItems: number
  readonly isDone: boolean
  /** The open task that was current before and remains so; undefined: the new task is current. */
  readonly currentTask: Pick<TaskRow, 'id' | 'name'> | undefined
}

/**
 * The task becomes the current one only if no task is open, because all agents of the project share the current task.
 * Returns undefined if the plan has no checklist.
 */
export async function createTaskFromPlan(
  tasks: TaskTable,
  { goal, text, at }: { readonly goal: string; readonly text: string; readonly at: number },
): Promise<CreatedPlanTask | undefined> {
  const { items, total, truncatedItems } = parseChecklist(text)
  if (items.length === 0) return undefined
  const name = toSingleLine(goal || findFirstHeading(text) || 'Plan', MAX_NAME)
  const { id } = await tasks.insert(name, at)
  const steps = items.map((item) => ({ text: item.text, completedAt: item.done ? at : null }))
  await tasks.insertSteps(id, steps, at)
  const isDone = items.every(({ done }) => done) && total === items.length
  const currentTask = await findOpenCurrentTask(tasks)
  if (isDone) await tasks.complete(id, at)
  else if (!currentTask) await tasks.setCurrent(id)
  return { id, name, items: items.length, omittedItems: total - items.length, truncatedItems, isDone, currentTask }
}

async function findOpenCurrentTask(tasks: TaskTable): Promise<TaskRow | undefined> {
  const current = await tasks.findCurrentId()
  const task = current === undefined ? undefined : await tasks.find(current)
  return task?.completedAt === null ? task : undefined
}
