// A list that is open, and the pane of its selected item: which pane is shown, and which of both has the focus. Used by
// inbox-app.ts. In memory only.

import { createListCursor, createListPreview, type ListCursor } from './list-cursor.js'
import type { KeyBinding, ListItem, ListScreen, Pane } from './pane.js'

export interface Level {
  readonly list: ListScreen
  readonly cursor: ListCursor
  /** The pane that is shown. */
  readonly pane: Pane | undefined
  readonly isPaneFocused: boolean
  /** Shows the pane of the selected item, or none. A focused one stays, also if its item is gone. */
  updatePane(isVisible: boolean): void
  /** Passes the focus to the pane of the selected item. */
  focusPane(): void
  /** Returns a text for the status line. */
  leavePane(): string
  /** Keys of the selected item's pane that work in the list, such as the number of an answer. */
  directBindings(): readonly KeyBinding[]
  hidePane(): void
}

export function createLevel(list: ListScreen): Level {
  const cursor = createListCursor(list)
  let shown: { readonly value: string; readonly pane: Pane } | undefined
  let isPaneFocused = false

  function hidePane(): void {
    shown?.pane.hide?.()
    shown = undefined
  }

  function showPane(item: ListItem): void {
    if (shown?.value === item.value) return
    hidePane()
    const pane = item.pane?.() ?? (item.open && createListPreview(item.open()))
    if (!pane) return
    shown = { value: item.value, pane }
    pane.show?.()
  }

  function focusPane(): void {
    const item = cursor.selected()
    if (!item) return
    showPane(item)
    isPaneFocused = true
  }

  return {
    list,
    cursor,
    get pane() {
      return shown?.pane
    },
    get isPaneFocused() {
      return isPaneFocused
    },
    updatePane(isVisible) {
      if (isPaneFocused) return
      const item = isVisible ? cursor.selected() : undefined
      if (!item || item.value !== shown?.value) hidePane()
      if (item) showPane(item)
    },
    focusPane,
    leavePane() {
      isPaneFocused = false
      return shown?.pane.leave?.() ?? ''
    },
    directBindings() {
      const item = cursor.selected()
      if (!item?.hasDirectKeys) return []
      const pane = shown?.value === item.value ? shown.pane : item.pane?.()
      const direct = pane?.bindings().filter(({ isDirect }) => isDirect) ?? []
      const run = (key: string): void | Promise<void> => {
        focusPane()
        return shown?.pane
          .bindings()
          .find((each) => each.isDirect && each.keys.includes(key))
          ?.run(key)
      }
      return direct.map(({ keys, hint, label }) => ({ keys, hint, label, run }))
    },
    hidePane,
  }
}
