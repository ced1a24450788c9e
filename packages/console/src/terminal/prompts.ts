// Prompts of the inbox, based on @clack/prompts: a menu that follows changes, multiple choice, text, confirmation. Esc
// returns undefined. Texts are printed without control characters, whatever their origin. Created by inbox-command,
// used by all screens. Reads and writes the terminal. Sets timers.

import type { Option } from '@clack/prompts'

import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import type { FullScreen, PromptStreams } from './full-screen.js'
import type { InboxTranslator } from './inbox-context.js'

/** How often a menu checks whether its text has changed. */
const CHANGE_CHECK_MS = 500

export interface PromptMenu<Value extends string> {
  /** May contain line breaks. */
  readonly message: string
  readonly entries: readonly PromptEntry<Value>[]
}

export interface PromptEntry<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Shown for the entry under the cursor. */
  readonly hint?: string
}

export interface InboxPrompts {
  /** Redrawn when it changes, with the cursor on the same entry. */
  choose<Value extends string>(menu: () => PromptMenu<Value>, at?: Value): Promise<Value | undefined>
  chooseMany<Value extends string>(
    menu: PromptMenu<Value>,
    chosen: readonly Value[],
  ): Promise<readonly Value[] | undefined>
  /** `isOptional`: an empty text is accepted. */
  enterText(message: string, options?: { readonly isOptional?: boolean }): Promise<string | undefined>
  /** What is typed is not shown. */
  enterSecret(message: string): Promise<string | undefined>
  /** Default: no. */
  confirm(message: string, yes: string): Promise<boolean>
  /** Waits for a key below the current output. */
  waitForKey(): Promise<void>
}

export async function createInboxPrompts(screen: FullScreen, { translate }: InboxTranslator): Promise<InboxPrompts> {
  const clack = await import('@clack/prompts')
  // Translates the instructions that the library shows below its menus.
  clack.SELECT_INSTRUCTIONS.splice(0, Infinity, translate('navigate'), translate('confirm'))
  clack.MULTISELECT_INSTRUCTIONS.splice(0, Infinity, translate('navigate'), translate('select'), translate('confirm'))

  const frame = (): { withGuide: boolean; showInstructions: boolean } => {
    const isRoomy = screen.isLarge()
    return { withGuide: isRoomy, showInstructions: isRoomy }
  }

  async function show<T>(
    prompt: (streams: PromptStreams) => Promise<T | typeof clack.CANCEL_SYMBOL>,
    until?: AbortSignal,
  ): Promise<T | undefined> {
    const answer = await screen.prompt(prompt, until)
    return clack.isCancel(answer) ? undefined : answer
  }

  async function choose<Value extends string>(menu: () => PromptMenu<Value>, at?: Value): Promise<Value | undefined> {
    let cursorValue = at
    let cursorIndex = 0
    for (;;) {
      const shownMenu = menu()
      const { message, entries } = shownMenu
      const changed = new AbortController()
      const stopWatching = watchForChange(() => JSON.stringify(menu()) !== JSON.stringify(shownMenu), changed)
      const initialEntry =
        entries.find(({ value }) => value === cursorValue) ?? entries[Math.min(cursorIndex, entries.length - 1)]
      // The library reads only the hint of the entry under the cursor, which tells us where the cursor is.
      const options = entries.map(({ value, label, hint }, index): PromptEntry<Value> => ({
        value,
        label: toPrintableText(label),
        get hint() {
          cursorValue = value
          cursorIndex = index
          return toPrintableText(hint ?? '')
        },
      }))
      screen.clear()
      const chosen = await show(
        (streams) =>
          clack.select<string>({
            ...streams,
            ...frame(),
            message: toPrintableText(message),
            options,
            ...(initialEntry && { initialValue: initialEntry.value }),
          }),
        changed.signal,
      )
      stopWatching()
      if (!changed.signal.aborted) return entries.find(({ value }) => value === chosen)?.value
    }
  }

  function watchForChange(hasChanged: () => boolean, changed: AbortController): () => void {
    const timer = setInterval(() => {
      if (hasChanged()) changed.abort()
    }, CHANGE_CHECK_MS)
    const unsubscribe = screen.onResize(() => changed.abort())
    return () => {
      clearInterval(timer)
      unsubscribe()
    }
  }

  /** For terminals without colours, where the library's multiple choice does not show the cursor. */
  async function toggle<Value extends string>(
    { message, entries }: PromptMenu<Value>,
    preselected: readonly Value[],
  ): Promise<readonly Value[] | undefined> {
    const chosen = new Set<string>(preselected)
    const checkboxEntries = (): readonly PromptEntry<string>[] => [
      ...entries.map((entry) => ({ ...entry, label: `[${chosen.has(entry.value) ? 'x' : ' '}] ${entry.label}` })),
      { value: DONE, label: translate('done') },
    ]
    for (let at: string | undefined; ;) {
      at = await choose(() => ({ message, entries: checkboxEntries() }), at)
      if (at === undefined) return undefined
      if (at === DONE) return entries.map(({ value }) => value).filter((value) => chosen.has(value))
      if (!chosen.delete(at)) chosen.add(at)
    }
  }

  return {
    choose,
    async chooseMany(menu, chosen) {
      if (!screen.hasColours) return toggle(menu, chosen)
      screen.clear()
      const options = menu.entries.map(({ value, label, hint }): Option<string> => ({
        value,
        label: toPrintableText(label),
        ...(hint !== undefined && { hint: toPrintableText(hint) }),
      }))
      const values = await show((streams) =>
        clack.multiselect<string>({
          ...streams,
          ...frame(),
          message: toPrintableText(menu.message),
          options,
          initialValues: [...chosen],
        }),
      )
      return values && menu.entries.map(({ value }) => value).filter((value) => values.includes(value))
    },
    enterText(text, { isOptional = false } = {}) {
      const message = toPrintableText(text)
      screen.clear()
      const { withGuide } = frame()
      return show((streams) =>
        clack.text({
          ...streams,
          withGuide,
          message: withGuide ? message.replaceAll('\n', `\n${clack.S_BAR}  `) : message,
          validate: (entered) => (isOptional || entered?.trim() ? undefined : translate('wordsMissing')),
        }),
      )
    },
    enterSecret(text) {
      const message = toPrintableText(text)
      screen.clear()
      const { withGuide } = frame()
      return show((streams) =>
        clack.password({
          ...streams,
          withGuide,
          message: withGuide ? message.replaceAll('\n', `\n${clack.S_BAR}  `) : message,
        }),
      )
    },
    async confirm(question, yes) {
      const message = toPrintableText(question)
      screen.clear()
      const { withGuide } = frame()
      const isConfirmed = await show((streams) =>
        clack.confirm({ ...streams, withGuide, message, active: yes, inactive: translate('no'), initialValue: false }),
      )
      return isConfirmed ?? false
    },
    async waitForKey() {
      const options = [{ value: 'back', label: translate('back') }]
      await show((streams) =>
        clack.select({
          ...streams,
          message: translate('endReached'),
          options,
          withGuide: false,
          showInstructions: false,
        }),
      )
    },
  }
}

const DONE = '\u0000done'
