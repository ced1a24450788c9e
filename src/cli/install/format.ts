// What can be done to the text of a client's configuration, whatever it is written in. Texts come in and go out; only
// the lines of our entry change, and what was done can be undone to the letter.

import type { JsonObject } from '../../lib/json.js'

export interface Format {
  read(text: string, container: string): Reading
  /** Puts our entry where none is. Throws a Failure where the text has no room for it. */
  add(text: string, container: string, entry: JsonObject): Added
  /** Sets members of the entry that is there; all else in it stays. */
  change(text: string, container: string, members: JsonObject): string
  /** Takes our entry out; without a trace, what it was put into stays, though it be empty. */
  remove(text: string, container: string, trace: Trace | undefined): string
  /** What a person would paste. */
  snippet(container: string, entry: JsonObject): string
}

export type Reading =
  | { readonly kind: 'broken'; readonly line: number; readonly column: number; readonly why: string }
  /** It can be read, but our entry has no place in it. */
  | { readonly kind: 'odd'; readonly why: string }
  | { readonly kind: 'free' }
  | { readonly kind: 'taken'; readonly entry: unknown }

export interface Added {
  readonly text: string
  readonly trace: Trace
}

/** What was made for our entry, so that it can go with it. */
export interface Trace {
  readonly made: 'entry' | 'container' | 'document'
  /** The white space that was put before it and after it. */
  readonly lead: string
  readonly tail: string
}

/** Said of a file by a Failure, where nothing is done to it. */
export const UNTOUCHABLE = 'cannot be changed without touching what is around our entry'

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
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
