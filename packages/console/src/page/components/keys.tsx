// Keys of the page: components register theirs while they are shown, and `?` lists them. A key does nothing while a
// field, a terminal or a dialog has the focus. Used by the frame, the views and the lists. Listens to the keyboard.

import { useEffect, useRef } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import { useTranslator } from '../use-translator.js'
import { Dialog } from './dialog.js'

export interface KeyBinding {
  /** `j`, `Escape`, `Control+k` (Command on a Mac), or a sequence such as `g h`. */
  readonly keys: string
  /** What it does, for the list of keys. */
  readonly label: TranslationKey
  /** Not listed, because another one says the same. */
  readonly isHidden?: boolean
  readonly run: () => void
}

/** A sequence such as `g h` must be completed in this time. */
const SEQUENCE_MS = 1500
const FIELDS = 'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], .job-terminal'

/** Newest first: what was shown last decides about a key. */
let registered: readonly { readonly current: readonly KeyBinding[] }[] = []
let pending: { readonly key: string; readonly at: number } | undefined

/** Registers keys while the component is shown. */
export function useKeys(bindings: readonly KeyBinding[]): void {
  const latest = useRef(bindings)
  latest.current = bindings
  useEffect(() => {
    if (registered.length === 0) addEventListener('keydown', onKeyDown)
    registered = [latest, ...registered]
    return () => {
      registered = registered.filter((each) => each !== latest)
      if (registered.length === 0) removeEventListener('keydown', onKeyDown)
    }
  }, [])
}

/** Keys that work now, each once. */
function listKeys(): readonly KeyBinding[] {
  const all = registered.toReversed().flatMap(({ current }) => current)
  const shown = all.filter(({ isHidden }) => isHidden !== true)
  return [...new Map(shown.map((binding) => [binding.keys, binding])).values()]
}

function onKeyDown(event: KeyboardEvent): void {
  const key = nameKey(event)
  if (event.defaultPrevented || event.isComposing || key === undefined || !isAllowed(event, key)) return
  const bindings = registered.flatMap(({ current }) => current)
  const now = Date.now()
  const sequence = pending !== undefined && now - pending.at < SEQUENCE_MS ? `${pending.key} ${key}` : undefined
  const found =
    bindings.find(({ keys }) => keys === sequence) ??
    (sequence === undefined ? bindings.find(({ keys }) => keys === key) : undefined)
  pending = undefined
  if (found !== undefined) {
    event.preventDefault()
    found.run()
  } else if (bindings.some(({ keys }) => keys.startsWith(`${key} `))) pending = { key, at: now }
}

/** Keys with Control work everywhere except in a terminal and below a dialog. */
function isAllowed(event: KeyboardEvent, key: string): boolean {
  const target = event.target instanceof Element ? event.target : document.body
  if (document.querySelector('dialog[open]') !== null || target.closest('.job-terminal') !== null) return false
  return key.startsWith('Control+') || target.closest(FIELDS) === null
}

/** The letter on the key if the layout has others, such as Hangul or Arabic. */
function nameKey({ key, code, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  if (altKey) return undefined
  const letter = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()
  const name = /^[\x21-\x7e]$/.test(key) || letter === undefined ? key : letter
  return ctrlKey || metaKey ? `Control+${name.toLowerCase()}` : name
}

export function KeysDialog({ close }: { readonly close: () => void }) {
  const { translate } = useTranslator()
  return (
    <Dialog title={translate('keys')} close={close}>
      <dl class="keys">
        {listKeys().map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{translate(label)}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button class="button" type="button" onClick={close}>
          {translate('close')}
        </button>
      </div>
    </Dialog>
  )
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  Control: navigator.userAgent.includes('Mac OS X') ? '⌘' : 'Ctrl',
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
}

export function Keys({ keys }: { readonly keys: string }) {
  return (
    <span dir="ltr">
      {keys.split(/[ +]/).map((key, index) => (
        <kbd key={index}>{SHORT_NAMES[key] ?? key}</kbd>
      ))}
    </span>
  )
}
