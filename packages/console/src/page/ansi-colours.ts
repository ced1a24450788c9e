// The colours of styled text on the dark ground of terminals, as CSS. Text is always legible: a colour that differs too
// little from its background is moved towards white or black, so that no program can hide text. Used by ansi-text.tsx.
// Pure; keeps the colours it has computed.

import type { TextColour, TextStyle } from '../text-style.js'

export interface AnsiColours {
  /** Undefined: that of the display. */
  readonly color?: string
  readonly backgroundColor?: string
}

const GROUND = '#101418'
const TEXT = '#e8ebef'
const PALETTE = (
  '#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5 ' +
  '#666666 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #ffffff'
).split(' ')
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255]
/** Of WCAG 2, for text of normal size. */
const MIN_CONTRAST = 4.5
const MAX_KEPT = 4000
const kept = new Map<string, string>()

export function coloursOf({ foreground, background, isInverse, isDim }: TextStyle): AnsiColours {
  const ground = isInverse ? toHex(foreground, TEXT) : toHex(background, GROUND)
  const own = isInverse ? toHex(background, GROUND) : toHex(foreground, TEXT)
  const text = isDim ? mix(own, ground, 0.4) : own
  const hasGround = isInverse || background !== null
  if (!hasGround && foreground === null && !isDim) return {}
  return { color: makeLegible(text, ground), ...(hasGround && { backgroundColor: ground }) }
}

function toHex(colour: TextColour, display: string): string {
  if (colour === null) return display
  if (typeof colour === 'string') return colour
  const named = PALETTE[colour]
  if (named !== undefined) return named
  if (colour >= 232) return fromChannels([0, 0, 0].map(() => 8 + (colour - 232) * 10))
  const index = colour - 16
  return fromChannels([Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map((at) => CUBE_LEVELS[at] ?? 0))
}

function makeLegible(text: string, ground: string): string {
  const key = text + ground
  const known = kept.get(key)
  if (known !== undefined) return known
  const target = contrast('#ffffff', ground) >= contrast('#000000', ground) ? '#ffffff' : '#000000'
  let legible = text
  for (let share = 0.1; contrast(legible, ground) < MIN_CONTRAST && share <= 1; share += 0.1)
    legible = mix(text, target, share)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(key, legible)
  return legible
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = toChannels(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(a: string, b: string, share: number): string {
  const other = toChannels(b)
  return fromChannels(toChannels(a).map((channel, at) => Math.round(channel + ((other[at] ?? 0) - channel) * share)))
}

function toChannels(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}

function fromChannels(channels: readonly number[]): string {
  return `#${channels.map((channel) => Math.min(channel, 255).toString(16).padStart(2, '0')).join('')}`
}
