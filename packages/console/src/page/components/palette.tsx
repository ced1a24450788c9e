// The command palette (Ctrl+K): searches views, jobs, tasks, calls, projects and actions. A combobox whose options are
// chosen with the arrow keys and Enter. Loaded by console-page when it is opened first. Changes the address; runs the
// actions of the page.

import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'

import type { ConsoleView } from '../../view.js'
import { canNotify, switchNotifications } from '../notifications.js'
import { switchSound } from '../sound.js'
import { changeSettings, useSettings } from '../use-settings.js'
import { useTranslator } from '../use-translator.js'
import { Dialog } from './dialog.js'
import { Icon } from './icon.js'
import { Keys } from './keys.js'
import { findItems, listItems, listSearches, type PaletteChoice, type PaletteItem } from './palette-items.js'
import { stripControls } from './strip-controls.js'

export interface PaletteProps {
  readonly view: ConsoleView
  readonly close: () => void
  readonly openDialog: (dialog: 'settings' | 'keys') => void
  readonly chooseLanguage: (language: string) => void
  readonly logOut: () => void
}

export function Palette({ view, close, ...page }: PaletteProps) {
  const translator = useTranslator()
  const { translate } = translator
  const settings = useSettings()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const listId = useId()
  const items = useMemo(
    () => listItems({ view, settings, canNotify: canNotify() }, translator),
    [view, settings, translator],
  )
  const known = useMemo(() => findItems(items, query), [items, query])
  const found = useMemo(() => [...known, ...listSearches(query, translator)], [known, query, translator])
  const index = Math.min(active, found.length - 1)
  const input = useRef<HTMLInputElement>(null)

  const search = (text: string): void => {
    setQuery(text)
    setActive(0)
  }
  const choose = (item: PaletteItem | undefined): void => {
    if (item === undefined) return
    const { choice } = item
    if (choice.type === 'search') {
      search(choice.query)
      input.current?.focus()
      return
    }
    close()
    run(choice, page)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // The key belongs to the input method of the keyboard, such as for Hangul.
    if (event.isComposing) return
    const step = STEPS.get(event.key)
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (step === undefined) choose(found[index])
    else if (found.length > 0) setActive((index + step + found.length) % found.length)
  }
  const list = useScrollToActive(index)

  return (
    <Dialog title={<span class="unseen">{translate('palette')}</span>} close={close}>
      <div class="palette">
        <input
          ref={input}
          class="field"
          type="text"
          role="combobox"
          aria-label={translate('palette')}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listId}
          aria-activedescendant={found.length === 0 ? undefined : `${listId}-${index}`}
          placeholder={translate('paletteHow')}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={query}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <ul ref={list} id={listId} role="listbox" aria-label={translate('palette')}>
          {found.map((item, at) => (
            <li
              key={item.key}
              id={`${listId}-${at}`}
              role="option"
              aria-selected={at === index}
              onPointerMove={() => setActive(at)}
              onClick={() => choose(item)}
            >
              <Option item={item} />
            </li>
          ))}
        </ul>
        <p class={known.length === 0 ? 'quiet' : 'unseen'} role="status">
          {known.length === 0 ? translate('paletteNone') : translate('paletteFound', { n: known.length })}
        </p>
      </div>
    </Dialog>
  )
}

const STEPS = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
])

function Option({ item: { icon, label, isUntrusted, detail, keys } }: { readonly item: PaletteItem }) {
  const { directionOf } = useTranslator()
  return (
    <>
      <Icon of={icon} />
      <span class="what">
        <span class="label" dir={isUntrusted === true ? directionOf(label) : undefined}>
          {stripControls(label)}
        </span>
        <span class="quiet detail">{stripControls(detail)}</span>
      </span>
      {keys !== undefined && <Keys keys={keys} />}
    </>
  )
}

function run(choice: Exclude<PaletteChoice, { type: 'search' }>, page: Omit<PaletteProps, 'view' | 'close'>): void {
  switch (choice.type) {
    case 'open':
      location.hash = choice.href
      return
    case 'theme':
      return changeSettings({ theme: choice.theme })
    case 'language':
      return page.chooseLanguage(choice.language)
    case 'notifications':
      return void switchNotifications()
    case 'sound':
      return switchSound()
    case 'logOut':
      return page.logOut()
    case 'settings':
    case 'keys':
      page.openDialog(choice.type)
  }
}

function useScrollToActive(index: number) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.children[index]?.scrollIntoView({ block: 'nearest' }), [index])
  return list
}
