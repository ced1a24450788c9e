// Interface of a configuration format (JSONC, TOML, YAML). Edits are functions from text to text that change only the lines
// of our entry and can be reverted exactly.

import type { JsonObject } from '../../lib/json.js'

export interface Format {
  read(text: string, container: string): Reading
  /** Adds our entry. Throws a Failure if the text cannot contain it. */
  add(text: string, container: string, entry: JsonObject): Added
  /** Sets members of the existing entry and keeps its other members. */
  change(text: string, container: string, members: JsonObject): string
  /** Removes our entry. Without a trace, the container stays even if it is empty. */
  remove(text: string, container: string, trace: Trace | undefined): string
  /** Text to paste manually. */
  snippet(container: string, entry: JsonObject): string
}

export type Reading =
  | { readonly kind: 'broken'; readonly line: number; readonly column: number; readonly why: string }
  /** It can be parsed, but cannot contain our entry. */
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly entry: unknown }

export interface Added {
  readonly text: string
  readonly trace: Trace
}

/** What was created together with our entry, so that it can be removed with it. */
export interface Trace {
  readonly made: 'entry' | 'container' | 'document'
  /** White space inserted before and after it. */
  readonly lead: string
  readonly tail: string
}

/** Predicate of a Failure about a file that was not changed. */
export const UNTOUCHABLE = 'cannot be changed without affecting other content'

export type FormatName = 'jsonc' | 'toml' | 'yaml'

export async function formatOf(name: FormatName): Promise<Format> {
  if (name === 'toml') return (await import('./toml-format.js')).TOML
  if (name === 'yaml') return (await import('./yaml-format.js')).YAML
  return (await import('./jsonc-format.js')).JSONC
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const textBefore = text.slice(0, offset)
  const lineStart = textBefore.lastIndexOf('\n') + 1
  return { line: textBefore.split('\n').length, column: offset - lineStart + 1 }
}
