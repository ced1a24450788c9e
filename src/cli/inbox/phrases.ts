// Small words that several views of the inbox share: how long, how many, which project. Whatever came from outside
// leaves here without what a terminal would obey.

import { basename } from 'node:path'

import { oneLine } from '../../lib/one-line.js'

const MAX_LINE_CHARS = 500

export function line(text: string): string {
  return oneLine(text.toWellFormed(), MAX_LINE_CHARS)
}

/** The parts that are there, on one line. */
export function joined(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  if (hours >= 48) return `${Math.floor(hours / 24)}d`
  if (hours > 0) return `${hours}h${two(minutes % 60)}m`
  return minutes > 0 ? `${minutes}m${two(seconds % 60)}s` : `${seconds}s`
}

export function ago(at: number, now: number): string {
  return now - at < 60_000 ? 'just now' : `${age(at, now)} ago`
}

/** In minutes, so that what only grows older is not drawn anew each second. */
export function age(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  return ms < 3_600_000 ? `${Math.floor(ms / 60_000)}m` : lasting(ms)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function projectName(project: string): string {
  return line(basename(project) || project)
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
