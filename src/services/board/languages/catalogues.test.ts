import { describe, expect, test } from 'vitest'

import { ar } from './ar.js'
import { en } from './en.js'
import { ko } from './ko.js'
import type { Catalogue, Key, Phrase } from './phrase.js'

const CATALOGUES: readonly (readonly [string, Catalogue])[] = [
  ['en', en],
  ['ko', ko],
  ['ar', ar],
]

const KEYS = Object.keys(en) as Key[]

describe.each(CATALOGUES)('the catalogue %s', (language, catalogue) => {
  test('has the same keys in the same order', () => {
    expect(Object.keys(catalogue)).toEqual(KEYS)
  })

  test.each(KEYS)('%s has the same places, and the forms that the language has', (key) => {
    const phrase: Phrase = catalogue[key]
    const model: Phrase = en[key]
    expect(typeof phrase).toBe(typeof model)
    if (typeof phrase === 'string') return expect(places(phrase)).toEqual(places(whole(model)))
    expect(places(phrase.other)).toEqual(places(whole(model)))
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    expect(Object.keys(phrase).sort()).toEqual([...forms].sort())
    // "Two questions" is one word in Arabic: the number may be missing, but nothing else may be added.
    for (const form of Object.values(phrase)) {
      expect(places(phrase.other)).toEqual(expect.arrayContaining(places(form)))
    }
    return undefined
  })

  test('has no empty phrase', () => {
    const texts = Object.values(catalogue).flatMap((phrase: Phrase) =>
      typeof phrase === 'string' ? [phrase] : Object.values(phrase),
    )
    expect(texts.every((text) => text.trim() === text && text !== '')).toBe(true)
  })
})

function whole(phrase: Phrase): string {
  return typeof phrase === 'string' ? phrase : phrase.other
}

function places(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
}
