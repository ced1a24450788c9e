// Which browser there is: the one that the settings name, else Chrome, Chromium or Edge of the system, else the one that
// npm brought along.

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { posix, resolve, win32 } from 'node:path'

import { Failure } from '../../lib/failure.js'
import { isWithin } from '../../lib/is-within.js'
import { holdsSystem } from '../holds-system.js'
import { unpackedChromium } from './npm-chromium.js'

export interface Lookout {
  /** BROWSER_PATH: a program, `off` or empty. */
  readonly wanted: string
  readonly env: NodeJS.ProcessEnv
  /** The folder worked in, of which none is taken unasked: npx puts its programs on the PATH, and commands write there. */
  readonly project?: string | undefined
  /** Where a browser from npm is unpacked; a folder of the person alone. */
  readonly unpackIn: () => string
}

const INSTALL =
  'install Chrome, Chromium or Edge, or run npm install @sparticuz/chromium beside scorpiox-code (Linux x64), ' +
  'or set BROWSER_PATH to a browser'

/** Rejects with a Failure that says what to install. */
export async function findBrowser({ wanted, env, project, unpackIn }: Lookout): Promise<string> {
  if (wanted === 'off') throw new Failure('No browser is used here: BROWSER_PATH is off.')
  if (wanted !== '') {
    if (isProgram(wanted)) return resolve(wanted)
    throw new Failure(`BROWSER_PATH names ${wanted}, and no program is there: correct it, or leave it empty`)
  }
  const isFit = (place: string): boolean => isProgram(place) && !isTheirs(place, project, env)
  const found = browserPlaces(process.platform, env).find(isFit) ?? (await unpackedChromium(unpackIn))
  if (found !== undefined) return found
  throw new Failure(`No browser was found: ${INSTALL}`)
}

/** Who works in the home or the root has everything there, also what is the person's own. */
function isTheirs(place: string, project: string | undefined, { HOME: home = '' }: NodeJS.ProcessEnv): boolean {
  if (project === undefined || project === home || holdsSystem(project) || !existsSync(project)) return false
  return isWithin(place, project) || isWithin(realpathSync(place), realpathSync(project))
}

/** Where a system may have one, the likeliest first. */
export function browserPlaces(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly string[] {
  if (platform === 'win32') return windowsPlaces(env)
  if (platform === 'darwin') return [...macPlaces(env), ...onPath(UNIX_NAMES, env)]
  return [...onPath(UNIX_NAMES, env), ...LINUX_PLACES]
}

/** A headless shell comes first where somebody installed one: it starts in half the time. */
const UNIX_NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'chromium',
  'microsoft-edge-stable',
  'microsoft-edge',
  'google-chrome-beta',
  'google-chrome-unstable',
  'chromium-browser',
]

const LINUX_PLACES = [
  '/opt/google/chrome/chrome',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium/chromium-headless-shell',
  '/opt/microsoft/msedge/msedge',
  '/var/lib/flatpak/exports/bin/com.google.Chrome',
  '/var/lib/flatpak/exports/bin/org.chromium.Chromium',
  '/snap/bin/chromium',
]

function macPlaces({ HOME: home = '' }: NodeJS.ProcessEnv): readonly string[] {
  const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Google Chrome Beta', 'Google Chrome Canary']
  const folders = ['/Applications', ...(home.startsWith('/') ? [posix.join(home, 'Applications')] : [])]
  return folders.flatMap((folder) => apps.map((app) => posix.join(folder, `${app}.app`, 'Contents/MacOS', app)))
}

function windowsPlaces(env: NodeJS.ProcessEnv): readonly string[] {
  const programs = [
    'Google\\Chrome\\Application\\chrome.exe',
    'Chromium\\Application\\chrome.exe',
    'Microsoft\\Edge\\Application\\msedge.exe',
    'Google\\Chrome Beta\\Application\\chrome.exe',
    'Google\\Chrome SxS\\Application\\chrome.exe',
  ]
  // An environment of Windows is asked in any letters; a copy of it is not.
  const valueOf = (name: string): string => Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] ?? ''
  const folders = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .map(valueOf)
    .filter((folder) => win32.isAbsolute(folder))
  return programs.flatMap((program) => folders.map((folder) => win32.join(folder, program)))
}

/** A relative entry would let whoever wrote the project choose the program. */
function onPath(names: readonly string[], { PATH: path = '' }: NodeJS.ProcessEnv): readonly string[] {
  const folders = path.split(posix.delimiter).filter((folder) => posix.isAbsolute(folder))
  return names.flatMap((name) => folders.map((folder) => posix.join(folder, name)))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
