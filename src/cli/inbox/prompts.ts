// The prompts of the inbox: a menu that follows what changes, several choices, own words, yes or no. The library does
// the keys; here is what it is shown with. Esc is undefined everywhere.

import type { Option } from '@clack/prompts'

import type { FullScreen, Handed } from './full-screen.js'
import type { InboxWords } from './language.js'

/** How often a menu looks whether its words have changed. */
const LOOK_MS = 500

export interface Menu<Value extends string> {
  /** May have several lines. */
  readonly message: string
  readonly entries: readonly Entry<Value>[]
}

export interface Entry<Value extends string> {
  readonly value: Value
  readonly label: string
  /** Shown where the cursor is. */
  readonly hint?: string
}

export interface Prompts {
  /** Drawn anew when it has changed, with the cursor on the same entry. */
  choose<Value extends string>(menu: () => Menu<Value>, at?: Value): Promise<Value | undefined>
  chooseSeveral<Value extends string>(
    menu: Menu<Value>,
    chosen: readonly Value[],
  ): Promise<readonly Value[] | undefined>
  ownWords(message: string): Promise<string | undefined>
  /** Whether to do it; not, unless said. */
  confirm(message: string, yes: string): Promise<boolean>
  /** Waits below what is on the screen until the person has read it. */
  goOn(): Promise<void>
}

export async function createPrompts(screen: FullScreen, { say }: InboxWords): Promise<Prompts> {
  const clack = await import('@clack/prompts')
  // What the library shows below its menus, in the language of the inbox.
  clack.SELECT_INSTRUCTIONS.splice(0, Infinity, say('navigate'), say('confirm'))
  clack.MULTISELECT_INSTRUCTIONS.splice(0, Infinity, say('navigate'), say('select'), say('confirm'))

  const frame = (): { withGuide: boolean; showInstructions: boolean } => {
    const isRoomy = screen.isRoomy()
    return { withGuide: isRoomy, showInstructions: isRoomy }
  }

  /** On an empty screen. */
  async function show<T>(
    prompt: (handed: Handed) => Promise<T | typeof clack.CANCEL_SYMBOL>,
    until?: AbortSignal,
  ): Promise<T | undefined> {
    const answer = await screen.prompt(prompt, until)
    return clack.isCancel(answer) ? undefined : answer
  }

  async function choose<Value extends string>(menu: () => Menu<Value>, at?: Value): Promise<Value | undefined> {
    let standing = at
    let position = 0
    for (;;) {
      const drawn = menu()
      const { message, entries } = drawn
      const stale = new AbortController()
      const stopLooking = look(() => JSON.stringify(menu()) !== JSON.stringify(drawn), stale)
      const stood = entries.find(({ value }) => value === standing) ?? entries[Math.min(position, entries.length - 1)]
      // It asks for the hint of the entry it stands on, and of no other.
      const options = entries.map(({ value, label, hint }, index): Entry<Value> => ({
        value,
        label,
        get hint() {
          standing = value
          position = index
          return hint ?? ''
        },
      }))
      screen.clear()
      const chosen = await show(
        (handed) =>
          clack.select<string>({
            ...handed,
            ...frame(),
            message,
            options,
            ...(stood && { initialValue: stood.value }),
          }),
        stale.signal,
      )
      stopLooking()
      if (!stale.signal.aborted) return entries.find(({ value }) => value === chosen)?.value
    }
  }

  function look(hasChanged: () => boolean, stale: AbortController): () => void {
    const timer = setInterval(() => {
      if (hasChanged()) stale.abort()
    }, LOOK_MS)
    const stopListening = screen.onResize(() => stale.abort())
    return () => {
      clearInterval(timer)
      stopListening()
    }
  }

  /** Without colours, the library's own does not show where the cursor is. */
  async function toggle<Value extends string>(
    { message, entries }: Menu<Value>,
    given: readonly Value[],
  ): Promise<readonly Value[] | undefined> {
    const chosen = new Set<string>(given)
    const marked = (): readonly Entry<string>[] => [
      ...entries.map((entry) => ({ ...entry, label: `[${chosen.has(entry.value) ? 'x' : ' '}] ${entry.label}` })),
      { value: DONE, label: say('done') },
    ]
    for (let at: string | undefined; ;) {
      at = await choose(() => ({ message, entries: marked() }), at)
      if (at === undefined) return undefined
      if (at === DONE) return entries.map(({ value }) => value).filter((value) => chosen.has(value))
      if (!chosen.delete(at)) chosen.add(at)
    }
  }

  return {
    choose,
    async chooseSeveral(menu, chosen) {
      if (!screen.hasColours) return toggle(menu, chosen)
      screen.clear()
      const options = menu.entries.map(({ value, label, hint }): Option<string> => ({
        value,
        label,
        ...(hint !== undefined && { hint }),
      }))
      const values = await show((handed) =>
        clack.multiselect<string>({
          ...handed,
          ...frame(),
          message: menu.message,
          options,
          initialValues: [...chosen],
        }),
      )
      return values && menu.entries.map(({ value }) => value).filter((value) => values.includes(value))
    },
    ownWords(message) {
      screen.clear()
      const { withGuide } = frame()
      return show((handed) =>
        clack.text({
          ...handed,
          withGuide,
          message: withGuide ? message.replaceAll('\n', `\n${clack.S_BAR}  `) : message,
          validate: (words) => (words?.trim() ? undefined : say('wordsMissing')),
        }),
      )
    },
    async confirm(message, yes) {
      screen.clear()
      const { withGuide } = frame()
      const isMeant = await show((handed) =>
        clack.confirm({ ...handed, withGuide, message, active: yes, inactive: say('no'), initialValue: false }),
      )
      return isMeant ?? false
    },
    async goOn() {
      const options = [{ value: 'back', label: say('back') }]
      await show((handed) =>
        clack.select({
          ...handed,
          message: say('endReached'),
          options,
          withGuide: false,
          showInstructions: false,
        }),
      )
    },
  }
}

const DONE = '\u0000done'
