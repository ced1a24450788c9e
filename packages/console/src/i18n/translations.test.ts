import { describe, expect, test } from 'vitest'

import { ar } from './ar.js'
import { en } from './en.js'
import { ko } from './ko.js'
import type { TranslationKey, Translations, TranslationText } from './translator.js'

const TRANSLATED: readonly (readonly [string, Translations])[] = [
  ['en', en],
  ['ko', ko],
  ['ar', ar],
]

const KEYS = Object.keys(en) as TranslationKey[]

describe.each(TRANSLATED)('translations: %s', (language, catalogue) => {
  test('has the same keys in the same order', () => {
    expect(Object.keys(catalogue)).toEqual(KEYS)
  })

  test.each(KEYS)('%s has the same placeholders and the plural forms of the language', (key) => {
    const entry: TranslationText = catalogue[key]
    const english: TranslationText = en[key]
    expect(typeof entry).toBe(typeof english)
    if (typeof entry === 'string') return expect(placeholders(entry)).toEqual(placeholders(withNumber(english)))
    expect(placeholders(entry.other)).toEqual(placeholders(withNumber(english)))
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    expect(Object.keys(entry).sort()).toEqual([...forms].sort())
    // "Two questions" is one word in Arabic: the number may be missing, but nothing else may be added.
    for (const form of Object.values(entry)) {
      expect(placeholders(entry.other)).toEqual(expect.arrayContaining(placeholders(form)))
    }
    return undefined
  })

  test('has no empty text', () => {
    const texts = Object.values(catalogue).flatMap((entry: TranslationText) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    )
    expect(texts.filter((text) => text.trim() !== text || text === '')).toEqual([])
  })
})

function withNumber(entry: TranslationText): string {
  return typeof entry === 'string' ? entry : entry.other
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
}
