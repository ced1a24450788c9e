// Generates and caches the names of sessions: date and two words, such as 2026_03_13_quiet_otter. The directory is
// created together with the name, so names are unique. A cached name is dropped if its directory, which commands can write
// to in plan mode, has files that are linked elsewhere. Used by callbacks and plans. Reads and creates directories.

import { randomInt } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import { hasErrorCode } from '@scorpiox/mcp/os'
import { createSessionDirectory, sessionDirectoryPath } from './session-directory.js'

/** Sessions whose names are cached. */
const MAX_KNOWN = 1000
/** After this many taken names a number is appended. */
const PLAIN_ATTEMPTS = 50

const ADJECTIVES = (
  'able amber brave breezy bright brisk calm candid cheerful clever cosy crisp curious daring eager early fair fond ' +
  'fresh gentle glad golden grand happy hardy honest humble jolly keen kind lively lucky mellow merry mild modest neat ' +
  'nimble noble patient placid plucky polite proud quick quiet rapid ready rosy serene sharp silver smooth snug sober ' +
  'spry steady sunny swift tidy warm wise witty'
).split(' ')

const NOUNS = (
  'acorn anchor badger beacon birch bridge brook canyon cedar cloud clover comet coral crane dolphin ember falcon fern ' +
  'finch fjord forest fox garden glade grove harbor hazel heron hill island ivy juniper lake lantern lark maple marsh ' +
  'meadow moon moss oak orchard otter owl pebble pine plum pond prairie puffin quail raven reef river robin sparrow ' +
  'spruce summit thistle tulip valley willow wren'
).split(' ')

export interface SessionNames {
  /** Returns the same name for the same session while its directory is usable; creates the directory. */
  nameOf(caller: Caller): string
}

const byProject = new Map<string, SessionNames>()

/** One instance per project and process, so that a session has one directory. */
export function sessionNamesOf(project: string): SessionNames {
  const names = byProject.get(project) ?? createSessionNames(project)
  byProject.set(project, names)
  return names
}

export function createSessionNames(project: string): SessionNames {
  const namesBySession = new Map<string, string>()
  return {
    nameOf({ user, session }) {
      const key = `${user}\0${session}`
      const known = namesBySession.get(key)
      const name = known !== undefined && isUsable(project, known) ? known : generateName(project)
      namesBySession.delete(key)
      namesBySession.set(key, name)
      const [oldest] = namesBySession.keys()
      if (namesBySession.size > MAX_KNOWN && oldest !== undefined) namesBySession.delete(oldest)
      return name
    },
  }
}

/** The directory may have been filled when commands were not sandboxed. */
function isUsable(project: string, name: string): boolean {
  try {
    return !hasExternalHardLinks(sessionDirectoryPath(project, name))
  } catch (error) {
    return hasErrorCode(error, 'ENOENT')
  }
}

function generateName(project: string): string {
  for (let attempt = 0; ; attempt++) {
    const plain = [formatDay(new Date()), pickRandom(ADJECTIVES), pickRandom(NOUNS)].join('_')
    const name = attempt < PLAIN_ATTEMPTS ? plain : `${plain}_${randomInt(1_000_000)}`
    if (createSessionDirectory(project, name)) return name
  }
}

function formatDay(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}_${month}_${day}`
}

function pickRandom(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? ''
}

/** A directory with more entries is not scanned and counts as having external links. */
const MAX_ENTRIES = 10_000

/**
 * Detects hard links. A session directory is the only writable directory in plan mode; a file in it with a hard link
 * elsewhere would make that other file writable, so such a directory is not reused.
 */
function hasExternalHardLinks(directory: string): boolean {
  const unseenLinks = new Map<string, number>()
  const queue = [directory]
  let entries = 0
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const name of readdirSync(current)) {
      if (++entries > MAX_ENTRIES) return true
      const path = join(current, name)
      const stat = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isDirectory()) queue.push(path)
      else if (stat && stat.nlink > 1) {
        const file = `${stat.dev}:${stat.ino}`
        unseenLinks.set(file, (unseenLinks.get(file) ?? stat.nlink) - 1)
      }
    }
  }
  return [...unseenLinks.values()].some((count) => count > 0)
}
