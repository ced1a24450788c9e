// Texts in one language for the page (use-translator.ts) and the inbox (inbox-context.ts), and numbers, sizes,
// durations and dates formatted by Intl. Runs in browsers too. Pure.

import { ar } from './ar.js'
import { en } from './en.js'
import { ko } from './ko.js'

export type Language = 'en' | 'ko' | 'ar'

export const LANGUAGES: readonly { readonly language: Language; readonly name: string }[] = [
  { language: 'en', name: 'English' },
  { language: 'ko', name: '한국어' },
  { language: 'ar', name: 'العربية' },
]

/** The texts that page and inbox share. */
export const TRANSLATIONS: Readonly<Record<Language, Translations>> = { en, ko, ar }

export interface Translator<K extends string = TranslationKey> {
  readonly language: Language
  readonly direction: 'ltr' | 'rtl'
  readonly translate: (key: K, values?: TranslationValues) => string
  /** The text split at its placeholders: texts at even positions, placeholder names at odd ones. */
  readonly splitText: (key: K, n?: number) => readonly string[]
  readonly formatNumber: (value: number) => string
  /** In the unit that fits. */
  readonly formatBytes: (count: number) => string
  readonly formatDuration: (ms: number) => string
  readonly formatTimeAgo: (at: number, now: number) => string
  readonly formatDateTime: (at: number) => string
  /** Direction of untrusted text: Arabic text may begin with a Latin name. */
  readonly directionOf: (text: string) => 'rtl' | 'auto'
}

export type TranslationValues = Readonly<Record<string, string | number>>

/** `locale` is the reader's own, such as `ar-EG`: digits and dates differ within a language. */
export function createTranslator(language: Language, locale: string = language): Translator {
  return createTranslatorFrom(TRANSLATIONS[language], language, locale)
}

/** The same with other texts. */
export function createTranslatorFrom<K extends string>(
  translations: Translations<K>,
  language: Language,
  locale: string,
): Translator<K> {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const moments = new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    // With 12 hours, Korean dates have an English AM or PM, depending on the version of ICU.
    ...(language === 'ko' && { hourCycle: 'h23' }),
  })
  const formatUnit = createUnitFormatter(locale)
  const formatNumber = (value: number): string => numbers.format(value)
  const splitText = (key: K, n = 0): readonly string[] => {
    const phrase: TranslationText = translations[key]
    const text = typeof phrase === 'string' ? phrase : (phrase[rules.select(n)] ?? phrase.other)
    return text.split(/\{(\w+)\}/)
  }
  return {
    language,
    direction: language === 'ar' ? 'rtl' : 'ltr',
    splitText,
    formatNumber,
    translate(key, values = {}) {
      const { n } = values
      return splitText(key, typeof n === 'number' ? n : 0)
        .map((part, index) => (index % 2 === 0 ? part : formatValue(values[part], formatNumber)))
        .join('')
    },
    formatBytes: (count) => formatBytes(formatUnit, count),
    formatDuration: (ms) => formatDuration(formatUnit, ms),
    formatTimeAgo: (at, now) => formatTimeAgo(relative, at - now),
    formatDateTime: (at) => moments.format(at),
    directionOf: (text) => (language === 'ar' && /[\u0590-\u08ff]/.test(text) ? 'rtl' : 'auto'),
  }
}

/** Returns the first of the reader's languages that is supported. */
export function preferredLanguage(preferences: readonly string[]): Language {
  for (const tag of preferences) {
    const found = LANGUAGES.find(({ language }) => language === baseLanguage(tag))
    if (found !== undefined) return found.language
  }
  return 'en'
}

export function preferredLocale(language: Language, preferences: readonly string[]): string {
  return preferences.find((tag) => baseLanguage(tag) === language && isValidTag(tag)) ?? language
}

/** Browsers under LANG=C report `en-US@posix`, for which Intl throws. */
function isValidTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function baseLanguage(tag: string): string {
  return (tag.split('-')[0] ?? '').toLowerCase()
}

function formatValue(value: string | number | undefined, number: (value: number) => string): string {
  return typeof value === 'number' ? number(value) : (value ?? '')
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

function formatBytes(formatUnit: UnitFormatter, count: number): string {
  const power = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)))
  const unit = SIZES[power] ?? 'byte'
  return formatUnit(count / 1000 ** power, unit, power === 0 ? 'long' : 'short', 1)
}

const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
  { unit: 'second', ms: 1000 },
] as const

/** The two largest units: `2h 5m`, `45s`; below 10 s with one decimal, below 1 s in milliseconds. */
function formatDuration(formatUnit: UnitFormatter, ms: number): string {
  const span = Math.max(0, ms)
  if (span < 1000) return formatUnit(Math.round(span), 'millisecond')
  if (span < 10_000 && span % 1000 !== 0) return formatUnit(Math.floor(span / 100) / 10, 'second')
  const first = UNITS.findIndex((entry) => span >= entry.ms)
  let rest = span
  return UNITS.slice(first, first + 2)
    .flatMap(({ unit, ms: size }) => {
      const count = Math.floor(rest / size)
      rest -= count * size
      return count > 0 ? [formatUnit(count, unit)] : []
    })
    .join(' ')
}

type UnitFormatter = (value: number, unit: string, unitDisplay?: 'narrow' | 'short' | 'long', digits?: number) => string

/** Making a format takes longer than using it; a list that is scrolled uses it for each row. */
function createUnitFormatter(locale: string): UnitFormatter {
  const formats = new Map<string, Intl.NumberFormat>()
  return (value, unit, unitDisplay = 'narrow', maximumFractionDigits = 3) => {
    let format = formats.get(`${unit} ${unitDisplay}`)
    format ??= new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits })
    formats.set(`${unit} ${unitDisplay}`, format)
    return format.format(value)
  }
}

function formatTimeAgo(relative: Intl.RelativeTimeFormat, difference: number): string {
  // Counting seconds would change constantly without being useful.
  if (Math.abs(difference) < 10_000) return relative.format(0, 'second')
  const entry = UNITS.find(({ ms }) => Math.abs(difference) >= ms)
  return relative.format(Math.trunc(difference / (entry?.ms ?? 1000)), entry?.unit ?? 'second')
}

/** A text has {placeholders}; a text that depends on a number has one form per plural category of the language. */
export type TranslationText = string | PluralText

export type PluralText = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Keys of the texts that page and inbox share. */
export type TranslationKey = keyof typeof en

export type Translations<K extends string = TranslationKey> = Readonly<Record<K, TranslationText>>
