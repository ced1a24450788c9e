// What the server offers as entries of one list, and which of them the address names. Used by inspector-page.tsx and the
// views. Reads the address.

import type { ServerOffers } from '../view.js'
import { type Members, textOf } from './json.js'

export type OfferKind = 'tools' | 'resources' | 'templates' | 'prompts'

export const OFFER_KINDS: readonly OfferKind[] = ['tools', 'resources', 'templates', 'prompts']

export const KIND_TITLES: Readonly<Record<OfferKind, string>> = {
  tools: 'Tools',
  resources: 'Resources',
  templates: 'Templates',
  prompts: 'Prompts',
}

export interface Offer {
  /** Kind and name; also the fragment of its address. */
  readonly key: string
  readonly kind: OfferKind
  /** The name by which it is requested: a name, an address or a template. */
  readonly name: string
  readonly title: string
  readonly definition: Members
}

export function listEntries(offers: ServerOffers, kind: OfferKind): readonly Offer[] {
  return offers[kind].map((definition) => {
    const address = kind === 'resources' ? definition.uri : kind === 'templates' ? definition.uriTemplate : undefined
    const name = textOf(address ?? definition.name)
    return { key: `${kind}/${encodeURIComponent(name)}`, kind, name, title: titleOf(definition, name), definition }
  })
}

/** A title is shown to people; annotations had it before there was one. */
function titleOf({ title, annotations, name }: Members, fallback: string): string {
  const ofAnnotations = typeof annotations === 'object' && annotations && 'title' in annotations && annotations.title
  return textOf(title) || textOf(ofAnnotations) || textOf(name) || fallback
}

/** The entry that the fragment names; without one the first tool, or whatever comes first. */
export function findOffer(offers: ServerOffers, fragment: string): Offer | undefined {
  const all = OFFER_KINDS.flatMap((kind) => listEntries(offers, kind))
  return all.find(({ key }) => `#${key}` === fragment) ?? (fragment === '' ? all[0] : undefined)
}
