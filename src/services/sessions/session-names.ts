// Names of sessions: date and two words, such as 2026_03_13_quiet_otter. The directory is created together with the name,
// so names are unique.

import { randomInt } from 'node:crypto'

import { hasCode } from '../../lib/error-code.js'
import type { Who } from '../who.js'
import { hasOutsideNames } from './outside-names.js'
import { makeSessionFolder, sessionFolder } from './session-folder.js'

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
  nameOf(who: Who): string
}

const ofProjects = new Map<string, SessionNames>()

/** One instance per project and process, so that a session has one directory. */
export function sessionNamesOf(project: string): SessionNames {
  const names = ofProjects.get(project) ?? createSessionNames(project)
  ofProjects.set(project, names)
  return names
}

export function createSessionNames(project: string): SessionNames {
  const known = new Map<string, string>()
  return {
    nameOf({ user, session }) {
      const key = `${user}\0${session}`
      const before = known.get(key)
      const name = before !== undefined && isOfUse(project, before) ? before : mint(project)
      known.delete(key)
      known.set(key, name)
      const [oldest] = known.keys()
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
      return name
    },
  }
}

/** The directory may have been filled when commands were not sandboxed. */
function isOfUse(project: string, name: string): boolean {
  try {
    return !hasOutsideNames(sessionFolder(project, name))
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

function mint(project: string): string {
  for (let attempt = 0; ; attempt++) {
    const plain = [dayOf(new Date()), oneOf(ADJECTIVES), oneOf(NOUNS)].join('_')
    const name = attempt < PLAIN_ATTEMPTS ? plain : `${plain}_${randomInt(1_000_000)}`
    if (makeSessionFolder(project, name)) return name
  }
}

function dayOf(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}_${month}_${day}`
}

function oneOf(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? ''
}
