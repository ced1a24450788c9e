// A list on the screen: which item is selected, which part is visible, and its rows. Also the list without a cursor, as a
// preview. The cursor stays on its item while the list changes. Used by inbox-app.ts. In memory only.

import { type KeyBinding, type ListItem, type ListScreen, MOVE_HINT, MOVE_KEYS, type Pane, stepOf } from './pane.js'
import type { Area, Row } from './rows.js'

export interface ListCursor {
  /** The item, as it was drawn last. */
  selected(): ListItem | undefined
  select(value: string): void
  draw(area: Area): readonly ListRow[]
  /** Empty if there is nothing to move to. */
  bindings(label: string): readonly KeyBinding[]
}

export interface ListRow {
  readonly row: Row
  readonly isSelected: boolean
}

const MARK = '▸ '
const NO_MARK = '  '

type Line = { readonly heading: string } | { readonly item: ListItem; readonly index: number } | 'blank'

export function createListCursor(list: ListScreen): ListCursor {
  let items = list.items()
  let value = items[0]?.value
  let at = 0
  let offset = 0
  let height = 1
  /** Until a key moves it, the cursor is on the first item, unless that is what the cursor was drawn on and acts. At the
      start the lists are there before what servers report. */
  let hasMoved = false

  function refresh(): void {
    items = list.items()
    const found = items.findIndex((item) => item.value === value)
    at = found === -1 ? Math.min(at, Math.max(0, items.length - 1)) : found
    value = items[at]?.value
  }

  function move(key: string): void {
    hasMoved = true
    const step = stepOf(key, { page: height, total: items.length })
    const isSingle = Math.abs(step) === 1
    const next = at + step
    at = isSingle ? (next + items.length) % items.length : Math.min(items.length - 1, Math.max(0, next))
    value = items[at]?.value
  }

  return {
    selected: () => items[at],
    select(selected) {
      hasMoved = true
      value = selected
      refresh()
    },
    draw(area) {
      const wasFirst = at === 0
      refresh()
      const [first] = items
      const isAbove = first?.isUrgent === true || first?.group !== items[at]?.group
      if (!hasMoved && wasFirst && first && isAbove && !items[at]?.isUrgent) {
        at = 0
        value = first.value
      }
      height = Math.max(1, area.rows - 1)
      const lines = toLines(items, area.rows)
      const cursorLine = lines.findIndex((line) => line !== 'blank' && 'item' in line && line.index === at)
      offset = scrollTo(cursorLine, offset, lines.length, area.rows)
      const visible = lines.slice(offset, offset + area.rows)
      if (offset + area.rows >= lines.length) list.reachEnd?.()
      if (items.length === 0) return [{ row: [{ text: list.emptyText, style: 'dim' }], isSelected: false }]
      return visible.map((line) => {
        const isSelected = line !== 'blank' && 'item' in line && line.index === at
        return { row: toRow(line, isSelected), isSelected }
      })
    },
    bindings: (label) =>
      items.length > 1 ? [{ keys: MOVE_KEYS, hint: '↑/↓', allKeys: MOVE_HINT, label, isMinor: true, run: move }] : [],
  }
}

/** The beginning of a list that is not open. */
export function createListPreview(list: ListScreen): Pane {
  return {
    draw({ columns, rows }) {
      const items = list.items()
      const heading = list.heading?.(columns) ?? []
      const lines = [...heading, ...toLines(items, rows).map((line) => toRow(line, false))]
      if (items.length === 0) return [...heading, [{ text: list.emptyText, style: 'dim' }]]
      return lines.length > rows ? [...lines.slice(0, rows - 1), [NO_MARK, '…']] : lines
    },
    bindings: () => [],
    ...(list.show && { show: list.show }),
    ...(list.hide && { hide: list.hide }),
  }
}

/** Headings between groups, with blank lines between them if everything fits. */
function toLines(items: readonly ListItem[], rows: number): readonly Line[] {
  const groups = new Set(items.map(({ group }) => group)).size
  const isSpacious = items.length + 2 * groups <= rows
  return items.flatMap((item, index): readonly Line[] => {
    const line = { item, index }
    if (item.group === undefined || item.group === items[index - 1]?.group) return [line]
    return [...(index > 0 && isSpacious ? (['blank'] as const) : []), { heading: item.group }, line]
  })
}

function toRow(line: Line, isSelected: boolean): Row {
  if (line === 'blank') return []
  if ('heading' in line) return [{ text: line.heading, style: 'bold' }]
  return [isSelected ? MARK : NO_MARK, ...line.item.row()]
}

/** Keeps the line visible, with the heading above it if it is the first. */
function scrollTo(line: number, offset: number, total: number, rows: number): number {
  const lowest = Math.max(0, total - rows)
  if (line <= 1) return 0
  if (line < offset) return Math.min(line, lowest)
  return Math.min(Math.max(offset, line - rows + 1), lowest)
}
