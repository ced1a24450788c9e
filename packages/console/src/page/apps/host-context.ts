// What the app that shows a view says about itself, and how the document follows it: colours, language, direction, size.
// Used by app-host.ts and app-frame.tsx. Changes the document.

import { createTranslator, preferredLanguage, preferredLocale, type Translator } from '../../i18n/translator.js'

export interface HostContext {
  readonly theme?: unknown
  readonly styles?: unknown
  readonly locale?: unknown
  readonly displayMode?: unknown
  readonly availableDisplayModes?: unknown
  readonly containerDimensions?: unknown
  readonly safeAreaInsets?: unknown
}

export interface ContainerSize {
  readonly width: number
  readonly height: number
}

/** The result of a tool call. */
export interface ToolCallResult {
  /** All text blocks. */
  readonly text: string
  readonly images: readonly { readonly data: string; readonly mimeType: string }[]
  /** Data for programs. */
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export function createHostTranslator({ locale }: HostContext): Translator {
  const preferences = typeof locale === 'string' ? [locale, ...navigator.languages] : navigator.languages
  const language = preferredLanguage(preferences)
  return createTranslator(language, preferredLocale(language, preferences))
}

/** The variables of the host are used by apps.css, with the colours of the console where the host has none. */
export function applyContext(context: HostContext, { language, direction }: Translator): void {
  const root = document.documentElement
  const { theme, styles, displayMode, containerDimensions: size } = context
  root.lang = language
  root.dir = direction
  if (theme === 'light' || theme === 'dark') root.style.colorScheme = theme
  root.dataset.display = displayMode === 'fullscreen' ? 'fullscreen' : 'inline'
  const { variables, css } = { variables: undefined, css: undefined, ...toObject(styles) }
  for (const [name, value] of Object.entries(toObject(variables)))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
  applyFonts(toObject(css).fonts)
  applyLength('--container-height', toObject(size).height ?? toObject(size).maxHeight)
  for (const [side, length] of Object.entries(toObject(context.safeAreaInsets))) applyLength(`--safe-${side}`, length)
}

export function canBeFullscreen({ availableDisplayModes: modes }: HostContext): boolean {
  return Array.isArray(modes) && modes.includes('fullscreen')
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function applyLength(name: string, value: unknown): void {
  const { style } = document.documentElement
  if (typeof value === 'number' && value >= 0) style.setProperty(name, `${value}px`)
  else style.removeProperty(name)
}

const FONTS_ID = 'host-fonts'

/** Rules of the host, set as text. */
function applyFonts(rules: unknown): void {
  if (typeof rules !== 'string') return
  const style = document.getElementById(FONTS_ID) ?? document.head.appendChild(document.createElement('style'))
  style.id = FONTS_ID
  style.textContent = rules
}
