// Prepares text from outside before a model sees it: removes invisible characters, and wraps it between two lines with
// a random marker, so that it cannot end the block. Lines that imitate these two lose their dashes. Used by ReadDocs,
// WebSearch, skills, scripts and callbacks. Pure, except for the random marker.

import { randomBytes } from 'node:crypto'

import { toSingleLine } from './format.js'

const MARKER_BYTES = 8

/** `--- 0123456789abcdef …` or `--- untrusted content …`, also with characters that resemble dashes. */
const IMITATED_MARKER = /^[^\p{L}\p{N}\n]{2,60}(?=[0-9a-f]{12,}\b|untrusted content\b)/gimu
const DASH = /[-\p{Pd}\u2212]/gu

export function wrapUntrusted(text: string): string {
  const content = removeInvisible(removeNoncharacters(text)).replace(IMITATED_MARKER, replaceDashes)
  const marker = createMarker(content)
  return `--- untrusted content; ends at marker ${marker} ---\n${content}\n--- ${marker} end ---`
}

/**
 * Quotes one line of untrusted text inside a sentence of ours. Brackets and quotation marks are replaced, because ours
 * delimit messages: the line cannot end its quotation or begin another message.
 */
export function quoteUntrustedLine(text: string, maxLength: number): string {
  const line = toSingleLine(removeInvisible(removeNoncharacters(text)), maxLength)
  return `"${line.replaceAll(OPENING, '(').replaceAll(CLOSING, ')').replaceAll(QUOTE, "'")}"`
}

// Also characters that resemble them.
const OPENING = /[[\u27E6\u2045\uFF3B\u3010\u3014\u301A]/g
const CLOSING = /[\]\u27E7\u2046\uFF3D\u3011\u3015\u301B]/g
const QUOTE = /["\u201C-\u201F\u2033\uFF02]/g

/** A single dash starts a list item and is kept. */
function replaceDashes(line: string): string {
  return (line.match(DASH) ?? []).length < 2 ? line : line.replace(DASH, '·')
}

function createMarker(text: string): string {
  const marker = randomBytes(MARKER_BYTES).toString('hex')
  return text.includes(marker) ? createMarker(text) : marker
}

/** In these scripts letters do not join; in all others a joiner is part of the spelling. */
const NON_JOINING_SCRIPTS = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
]
const JOINING_LETTER = `(?!${NON_JOINING_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('|')})[\\p{L}\\p{M}]`
const BEFORE = `(?:${JOINING_LETTER}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0E\\uFE0F])`
const AFTER = `(?:${JOINING_LETTER}|\\p{Extended_Pictographic})`

const STRAY_JOINER = new RegExp(`(?<!${BEFORE})[\\u200C\\u200D]|[\\u200C\\u200D](?!${AFTER})`, 'gu')

/**
 * One selector after a character chooses its appearance; more of them, or one after nothing, only carry hidden data.
 */
const STRAY_SELECTOR = /(?<![^\s\uFE0E\uFE0F\u200C\u200D])[\uFE0E\uFE0F]+|(?<=[\uFE0E\uFE0F])[\uFE0E\uFE0F]+/gu

const INVISIBLE = new RegExp(
  [
    // Controls, except tab and line feed.
    '[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F]',
    // Soft hyphen, fillers, zero-width spaces, direction marks and overrides, invisible operators.
    '[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB]',
    // Variation selectors that no emoji uses, and tag characters.
    '[\\uFE00-\\uFE0D\\u{E0000}-\\u{E0FFF}]',
    '[\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}]',
  ].join('|'),
  'gu',
)

/**
 * Removes invisible characters from text: characters without a glyph, direction marks, and the planes used to hide
 * text. Joiners are kept where a script needs them. The result is stable: applying it twice changes nothing.
 */
export function removeInvisible(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
      .replace(INVISIBLE, '')
      // Before the joiners: a selector after a joiner has no character to modify.
      .replace(STRAY_SELECTOR, '')
      .replace(STRAY_JOINER, '')
  )
}

/** Removes noncharacters: a program may use them internally as markers, but they must not be passed on. */
export function removeNoncharacters(text: string): string {
  return text.replace(/\p{Noncharacter_Code_Point}/gu, '')
}
