// The interface of a configuration format, and the loader of its implementations (JSONC, TOML, YAML). Edits are
// functions from text to text that change only the lines of our entry and can be reverted exactly. Loaded by targets.ts
// for `install`, `uninstall` and `doctor`. Reads and writes no files.

import type { JsonObject } from '@scorpiox/mcp/json/json'

export interface ConfigFormat {
  read(text: string, container: string): ReadEntryResult
  /** Adds our entry. Throws a Failure if the text cannot contain it. */
  add(text: string, container: string, entry: JsonObject): AddEntryResult
  /** Sets members of the existing entry and keeps its other members. */
  change(text: string, container: string, members: JsonObject): string
  /** Removes our entry. Without a trace, the container stays even if it is empty. */
  remove(text: string, container: string, trace: InsertionRecord | undefined): string
  /** Text to paste manually. */
  snippet(container: string, entry: JsonObject): string
}

export type ReadEntryResult =
  | { readonly kind: 'broken'; readonly line: number; readonly column: number; readonly why: string }
  /** It can be parsed, but cannot contain our entry. */
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly entry: unknown }

export interface AddEntryResult {
  readonly text: string
  readonly insertion: InsertionRecord
}

/** What was created together with our entry, so that it can be removed with it. */
export interface InsertionRecord {
  readonly made: 'entry' | 'container' | 'document'
  /** White space inserted before and after it. */
  readonly lead: string
  readonly tail: string
}

/** Predicate of a Failure about a file that was not changed. */
export const UNSAFE_EDIT = 'cannot be changed without affecting other content'

export type ConfigFormatName = 'jsonc' | 'toml' | 'yaml'

export async function loadConfigFormat(name: ConfigFormatName): Promise<ConfigFormat> {
  if (name === 'toml') return (await import('./toml-format.js')).TOML_FORMAT
  if (name === 'yaml') return (await import('./yaml-format.js')).YAML_FORMAT
  return (await import('./jsonc-format.js')).JSONC_FORMAT
}

export function detectLineBreak(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

export function toLineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const textBefore = text.slice(0, offset)
  const lineStart = textBefore.lastIndexOf('\n') + 1
  return { line: textBefore.split('\n').length, column: offset - lineStart + 1 }
}
