// Styles of text as terminals set them: what the sequence SGR (ESC [ … m) changes, the sequence that sets a style, and text
// in runs of one style. Blinking and hidden text are ignored. Used by style-marks.ts, and by the page and the inbox to
// show them. Runs in browsers too. Pure.

export interface TextStyle {
  readonly foreground: TextColour
  readonly background: TextColour
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isItalic: boolean
  readonly isUnderlined: boolean
  readonly isStruck: boolean
  /** Foreground and background are exchanged. */
  readonly isInverse: boolean
}

/** A colour of the palette, 0 to 255; a true colour such as `#0a80ff`; null: that of the display. */
export type TextColour = number | string | null

export const PLAIN_STYLE: TextStyle = {
  foreground: null,
  background: null,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isStruck: false,
  isInverse: false,
}

const MAX_PARAMETERS = 64

/** `parameters`: what is between `ESC [` and `m`. */
export function applySgr(style: TextStyle, parameters: string): TextStyle {
  const fields = parameters.split(';').slice(0, MAX_PARAMETERS)
  let changed = style
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    const [code = 0, ...parts] = field.split(':').map(Number)
    const name = COLOUR_CODES[code]
    if (name === undefined) {
      changed = applyCode(changed, code, parts)
      continue
    }
    // Either `38:2::r:g:b` or `38;2;r;g;b`.
    const isOneField = parts.length > 0
    const [kind, ...values] = isOneField ? parts : fields.slice(at + 1, at + 5).map(Number)
    const colour = kind === 5 ? toPaletteColour(values[0]) : kind === 2 ? toTrueColour(values) : undefined
    if (colour !== undefined && name !== 'underline') changed = { ...changed, [name]: colour }
    if (!isOneField) at += kind === 5 ? 2 : kind === 2 ? 4 : 0
  }
  return changed
}

/** Codes that a colour follows. */
const COLOUR_CODES: Readonly<Record<number, 'foreground' | 'background' | 'underline'>> = {
  38: 'foreground',
  48: 'background',
  58: 'underline',
}

function toPaletteColour(index: number | undefined): number | undefined {
  return isByte(index) ? index : undefined
}

/** The last three: a colour space may come first. */
function toTrueColour(values: readonly number[]): string | undefined {
  const channels = values.length > 3 ? values.slice(1, 4) : values
  if (channels.length !== 3 || !channels.every(isByte)) return undefined
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function isByte(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255
}

const CHANGES: Readonly<Record<number, Partial<TextStyle>>> = {
  0: PLAIN_STYLE,
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  9: { isStruck: true },
  21: { isUnderlined: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  29: { isStruck: false },
  39: { foreground: null },
  49: { background: null },
}

function applyCode(style: TextStyle, code: number, parts: readonly number[]): TextStyle {
  // `4:0` to `4:5`: kinds of underlines.
  if (code === 4 && parts[0] === 0) return { ...style, isUnderlined: false }
  const change = CHANGES[code]
  if (change) return { ...style, ...change }
  if (code >= 30 && code <= 37) return { ...style, foreground: code - 30 }
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 }
  if (code >= 90 && code <= 97) return { ...style, foreground: code - 90 + 8 }
  if (code >= 100 && code <= 107) return { ...style, background: code - 100 + 8 }
  return style
}

export interface StyledText {
  readonly text: string
  readonly style: TextStyle
}

const MAX_RUNS = 2000
// oxlint-disable-next-line no-control-regex -- sequences begin with ESC
const SEQUENCE = /\u001B\[(?<parameters>[\d;:]{0,256})(?<final>[A-Za-z]?)/g

/**
 * Text with SGR sequences as runs of one style. `clean` removes the other control characters from the text of a run. The
 * number of runs is bounded: what follows has no style.
 */
export function splitStyles(text: string, clean: (piece: string) => string): readonly StyledText[] {
  const runs: StyledText[] = []
  let style = PLAIN_STYLE
  let from = 0
  const add = (piece: string): void => {
    const shown = clean(piece)
    const last = runs.at(-1)
    if (shown === '') return
    if (last?.style === style) runs[runs.length - 1] = { text: last.text + shown, style }
    else runs.push({ text: shown, style })
  }
  for (const { 0: sequence, index, groups } of text.matchAll(SEQUENCE)) {
    add(text.slice(from, index))
    from = index + sequence.length
    if (groups?.final !== 'm') continue
    const next = applySgr(style, groups.parameters ?? '')
    style = isPlain(next) || runs.length >= MAX_RUNS - 1 ? PLAIN_STYLE : next
  }
  add(text.slice(from))
  return runs
}

function isPlain(style: TextStyle): boolean {
  return (
    style.foreground === null &&
    style.background === null &&
    !(style.isBold || style.isDim || style.isItalic || style.isUnderlined || style.isStruck || style.isInverse)
  )
}

/** The sequence that changes the plain style to this one; empty for the plain style itself. */
export function formatSgr(style: TextStyle): string {
  const { isBold, isDim, isItalic, isUnderlined, isInverse, isStruck, foreground, background } = style
  const codes = [
    ...(isBold ? [1] : []),
    ...(isDim ? [2] : []),
    ...(isItalic ? [3] : []),
    ...(isUnderlined ? [4] : []),
    ...(isInverse ? [7] : []),
    ...(isStruck ? [9] : []),
    ...toColourCodes(foreground, 30),
    ...toColourCodes(background, 40),
  ]
  return codes.length === 0 ? '' : `\u001B[${codes.join(';')}m`
}

export const SGR_RESET = '\u001B[m'

/** `base`: the code of the first palette colour. */
function toColourCodes(colour: TextColour, base: 30 | 40): readonly number[] {
  if (colour === null) return []
  if (typeof colour === 'string')
    return [base + 8, 2, ...[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))]
  if (colour < 8) return [base + colour]
  return colour < 16 ? [base + 60 + colour - 8] : [base + 8, 5, colour]
}
