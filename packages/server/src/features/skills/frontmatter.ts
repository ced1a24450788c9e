// Parses the YAML frontmatter of a SKILL.md: plain fields directly, which most have, anything else as YAML. If that fails, most often because of a colon in a sentence, quotes the values
// and retries; if that fails too, reads `key: value` lines. Used by read-skills. Pure; never throws.

import { parseDocument } from 'yaml'

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'

const MAX_PARSED = 16 * 1024
// Aliases are rare here; thousands of them are an attack.
const MAX_ALIASES = 20
/** Lines that are quoted; each is parsed on its own. */
const MAX_REPAIRED = 100

export interface Frontmatter {
  readonly fields: JsonObject
  /** Why a strict parser would read it differently. */
  readonly problem?: string
}

export function parseFrontmatter(text: string): Frontmatter {
  if (text.length > MAX_PARSED)
    return { fields: parseLines(text), problem: `it is longer than ${MAX_PARSED / 1024} KB` }
  const plain = parsePlainFields(text)
  if (plain) return { fields: plain }
  const strict = parseYaml(text)
  if ('fields' in strict) return strict
  const repaired = parseYaml(quoteValues(text))
  return { fields: 'fields' in repaired ? repaired.fields : parseLines(text), problem: strict.problem }
}

const PLAIN_FIELD = /^([a-z][\w-]*): ([A-Za-z][\w ,.()/+'"–—-]*[\w.)])$/
/** Words that YAML reads as something else than text. */
const YAML_VALUES = /^(?:true|false|null)$/i

/**
 * Fields whose values are text in any YAML, on one line and without quotes; undefined if there are others. Reading them as
 * YAML takes longer than all else that listing a skill needs.
 */
function parsePlainFields(text: string): JsonObject | undefined {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, key, value] = PLAIN_FIELD.exec(line) ?? []
    if (key === undefined || value === undefined || fields.has(key)) return undefined
    if (YAML_VALUES.test(value) || YAML_VALUES.test(key)) return undefined
    fields.set(key, value)
  }
  return Object.fromEntries(fields)
}

function parseYaml(
  text: string,
): { readonly fields: JsonObject; readonly problem?: string } | { readonly problem: string } {
  try {
    const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' })
    const [error] = document.errors
    if (error) return { problem: error.message }
    // Serialized and parsed again, so that it equals what clients receive.
    const fields: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}))
    if (!isJsonObject(fields)) return { problem: 'it is not a list of fields' }
    const [warning] = document.warnings
    return warning ? { fields, problem: warning.message } : { fields }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

/** Quotes the value of each `key: value` line that is not valid YAML. */
function quoteValues(text: string): string {
  let remaining = MAX_REPAIRED
  return text
    .split('\n')
    .map((line) => {
      const [, key, value] = /^([A-Za-z][\w-]*):[ \t]+(\S.*)$/.exec(line) ?? []
      if (key === undefined || value === undefined || --remaining < 0 || 'fields' in parseYaml(line)) return line
      return `${key}: ${JSON.stringify(value.trimEnd())}`
    })
    .join('\n')
}

function parseLines(text: string): JsonObject {
  const fields = new Map<string, string>()
  let current: string | undefined
  for (const line of text.split('\n')) {
    const [, key, value = ''] = /^(name|description|argument-hint)[ \t]*:(.*)$/.exec(line) ?? []
    if (key !== undefined) {
      current = fields.has(key) ? undefined : key
      if (current !== undefined) fields.set(key, unquote(value.trim()))
    } else if (current !== undefined && /^\s+\S/.test(line)) {
      fields.set(current, `${fields.get(current) ?? ''} ${line.trim()}`.trim())
    } else if (line.trim() !== '') current = undefined
  }
  return Object.fromEntries(fields)
}

function unquote(value: string): string {
  if (/^[|>][-+\d]*$/.test(value)) return ''
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
}
