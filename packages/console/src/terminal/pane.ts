// What the frame of the inbox shows and lets act: panes, lists of items, and bindings of keys, from which the footer
// and the list of keys are made, so that both name what works. Implemented by the screens, used by inbox-app.ts.
// Types, and scrolling for panes with text.

import type { InboxTranslator } from './inbox-context.js'
import type { Area, Row } from './rows.js'

export interface Pane {
  /** At most as many rows as the area has. `isFocused`: keys go to it. */
  draw(area: Area, isFocused: boolean): readonly Row[]
  /** What works now; called after it was drawn. */
  bindings(): readonly KeyBinding[]
  /** Called when it appears: starts following what it shows. */
  readonly show?: () => void
  readonly hide?: () => void
  /** Called when the focus leaves it; a text for the status line. */
  leave?(): string
}

export interface KeyBinding {
  /** Names of keys.ts. */
  readonly keys: readonly string[]
  /** How the footer writes the keys. */
  readonly hint: string
  readonly label: string
  /** How the list of keys writes them, if there are more. */
  readonly allKeys?: string
  /** Comes after the keys that leave. */
  readonly isMinor?: boolean
  /** In the footer even if others have no room. */
  readonly isEssential?: boolean
  /** Also works while the list that shows this pane has the focus. */
  readonly isDirect?: boolean
  run(key: string): void | Promise<void>
}

export interface ListScreen {
  title(): string
  items(): readonly ListItem[]
  /** Above the items. */
  heading?(columns: number): readonly Row[]
  /** For the selected item. */
  bindings?(selected: ListItem | undefined): readonly KeyBinding[]
  readonly emptyText: string
  readonly show?: () => void
  readonly hide?: () => void
  /** The last item is on the screen: more may be loaded. */
  reachEnd?(): void
}

export interface ListItem {
  /** Identifies the item across updates. */
  readonly value: string
  /** It waits for a person: the cursor of a list in which nothing was selected yet moves there. */
  readonly isUrgent?: boolean
  /** Items with the same heading follow one another below it. */
  readonly group?: string
  row(): Row
  /** The pane has keys that also work in the list. */
  readonly hasDirectKeys?: boolean
  /** What Enter opens, and a wide terminal shows beside the list. */
  readonly pane?: () => Pane
  /** The list that Enter opens. */
  readonly open?: () => ListScreen
}

export interface Scroller {
  /** The rows that are visible, with a last row that says where, if not all fit. */
  cut(rows: readonly Row[], height: number): readonly Row[]
  /** Empty if everything fits. */
  bindings(label: string): readonly KeyBinding[]
  toStart(): void
  /** Scrolls so that a row is visible. */
  reveal(row: number): void
}

export const MOVE_KEYS = ['up', 'down', 'k', 'j', 'pageup', 'pagedown', 'home', 'end', 'g', 'G']
export const MOVE_HINT = '↑/↓ j/k PgUp/PgDn Home/End g/G'

const BACKWARD_KEYS: ReadonlySet<string> = new Set(['up', 'k', 'pageup', 'home', 'g'])

/** How far a key of MOVE_KEYS moves. */
export function stepOf(key: string, { page, total }: { readonly page: number; readonly total: number }): number {
  const isPage = key === 'pageup' || key === 'pagedown' || key === 'space'
  const isSingle = key === 'up' || key === 'down' || key === 'k' || key === 'j'
  const length = isSingle ? 1 : isPage ? page : total
  return BACKWARD_KEYS.has(key) ? -length : length
}

/** `startsAtEnd`: shows the end, and follows it until it is scrolled back. */
export function createScroller({ formatNumber }: InboxTranslator, startsAtEnd = false): Scroller {
  let offset = 0
  let isAtEnd = startsAtEnd
  let total = 0
  let height = 0

  const maxOffset = (): number => Math.max(0, total - height)

  function scroll(key: string): void {
    const step = stepOf(key, { page: Math.max(1, height - 1), total })
    offset = Math.min(maxOffset(), Math.max(0, (isAtEnd ? maxOffset() : offset) + step))
    isAtEnd = startsAtEnd && offset === maxOffset()
  }

  return {
    cut(rows, available) {
      total = rows.length
      height = total <= available ? available : Math.max(1, available - 1)
      offset = isAtEnd ? maxOffset() : Math.min(offset, maxOffset())
      if (total <= available) return rows
      const position = `${formatNumber(offset + 1)}–${formatNumber(Math.min(total, offset + height))} / ${formatNumber(total)}`
      const visible = rows.slice(offset, offset + height)
      return available > 1 ? [...visible, [{ text: `── ${position} ──`, style: 'dim' }]] : visible
    },
    bindings: (label) =>
      total > height
        ? [
            {
              keys: [...MOVE_KEYS, 'space'],
              hint: '↑/↓',
              allKeys: `${MOVE_HINT} Space`,
              label,
              isMinor: true,
              run: scroll,
            },
          ]
        : [],
    toStart() {
      offset = 0
    },
    reveal(row) {
      const first = isAtEnd ? maxOffset() : offset
      if (row >= first && row < first + height) return
      offset = Math.max(0, row - Math.floor(height / 2))
      isAtEnd = false
    },
  }
}
