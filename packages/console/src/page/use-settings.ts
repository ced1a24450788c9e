// What the user has chosen for this browser: theme, notifications and sound. Stored in localStorage and shared by all tabs
// of the page. Used by the frame and the settings dialog. Sets the theme of the document.

import { useEffect, useState } from 'preact/hooks'

import type { TranslationKey } from '../i18n/translator.js'

const STORAGE_KEY = 'settings'

export const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

export const THEME_NAMES = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const satisfies Record<
  Theme,
  TranslationKey
>

export interface Settings {
  readonly theme: Theme
  readonly hasNotifications: boolean
  readonly hasSound: boolean
}

const DEFAULTS: Settings = { theme: 'system', hasNotifications: false, hasSound: false }

const listeners = new Set<() => void>()
let settings = readStored()

/** Called once, before the first render, so that the page does not change its colours. */
export function startSettings(): void {
  applyTheme()
  addEventListener('storage', ({ key }) => {
    if (key !== STORAGE_KEY) return
    settings = readStored()
    announceChange()
  })
}

export function getSettings(): Settings {
  return settings
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(settings))
  } catch {
    // The choice is lost when the page is closed.
  }
  announceChange()
}

export function useSettings(): Settings {
  const [current, setCurrent] = useState(settings)
  useEffect(() => {
    const update = (): void => setCurrent(settings)
    update()
    listeners.add(update)
    return () => void listeners.delete(update)
  }, [])
  return current
}

function announceChange(): void {
  applyTheme()
  listeners.forEach((listener) => listener())
}

function applyTheme(): void {
  document.documentElement.dataset['theme'] = settings.theme
}

function readStored(): Settings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}')
    const values = new Map<string, unknown>(Object.entries(stored ?? {}))
    return {
      theme: THEMES.find((theme) => theme === values.get('theme')) ?? DEFAULTS.theme,
      hasNotifications: values.get('hasNotifications') === true,
      hasSound: values.get('hasSound') === true,
    }
  } catch {
    return DEFAULTS
  }
}
