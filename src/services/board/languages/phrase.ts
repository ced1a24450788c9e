// A text has {placeholders}; a text that depends on a number has one form per plural category of the language.

import type { en } from './en.js'

export type Phrase = string | Plural

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Keys of the texts that page and inbox share. */
export type Key = keyof typeof en

export type Catalogue<K extends string = Key> = Readonly<Record<K, Phrase>>
