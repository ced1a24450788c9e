// What a catalogue is made of: sentences with {places} to fill in, and where a number decides, a sentence for each form
// that the language has.

import type { en } from './en.js'

export type Phrase = string | Plural

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Of the phrases that page and inbox share. */
export type Key = keyof typeof en

export type Catalogue<K extends string = Key> = Readonly<Record<K, Phrase>>
