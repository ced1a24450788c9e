// Finds a browser: the configured one, else Chrome, Chromium or Edge of the system, else the one from npm, which is
// unpacked. Starts nothing. Used by browser-pool.ts and `doctor`.

import { accessSync, constants, statSync } from 'node:fs'
import { posix, resolve, win32 } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { NO_WRITABLE_ROOTS, type WritableRoots } from '../config/writable-roots.js'
import { unpackNpmChromium } from './npm-chromium.js'

interface FindBrowserOptions {
  /** BROWSER_PATH: a program, `off` or empty. */
  readonly browserPath: string
  readonly env: NodeJS.ProcessEnv
  /** Browsers in them are not used: the browser runs outside of the sandbox. Default: none. */
  readonly writableRoots?: WritableRoots | undefined
  /** Without a sandbox, the configured browser may be anywhere. */
  readonly isSandboxOff?: boolean | undefined
  /** Where the browser from npm is unpacked; a private folder of the user. */
  readonly unpackIn: () => string
}

const INSTALL_ADVICE =
  'install Chrome, Chromium or Edge, or run npm install @sparticuz/chromium beside scorpiox-code (Linux x64), ' +
  'or set BROWSER_PATH to a browser'

/** Rejects with a Failure that says what to install. */
export async function findBrowser({
  browserPath,
  env,
  writableRoots = NO_WRITABLE_ROOTS,
  isSandboxOff = false,
  unpackIn,
}: FindBrowserOptions): Promise<string> {
  if (browserPath === 'off') throw new Failure('No browser is used: BROWSER_PATH is off.')
  if (browserPath !== '') {
    const file = resolve(browserPath)
    if (!isExecutableFile(file))
      throw new Failure(`BROWSER_PATH is ${browserPath}, which is not a program: correct it, or leave it empty`)
    if (isSandboxOff || !writableRoots.contains(file)) return file
    throw new Failure(
      `BROWSER_PATH is ${browserPath}, in a folder that commands can write to, so it may have been replaced: ` +
        'use a browser outside the project and SANDBOX_WRITE, or leave it empty',
    )
  }
  const isUsable = (candidate: string): boolean => isExecutableFile(candidate) && !writableRoots.contains(candidate)
  const found =
    listBrowserCandidates(process.platform, env).find(isUsable) ?? (await unpackNpmChromium(unpackIn, writableRoots))
  if (found !== undefined) return found
  throw new Failure(`No browser was found: ${INSTALL_ADVICE}`)
}

/** Where the platform may have a browser, most likely first. */
export function listBrowserCandidates(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): readonly string[] {
  if (platform === 'win32') return listWindowsCandidates(env)
  if (platform === 'darwin') return [...listMacCandidates(env), ...listPathCandidates(UNIX_NAMES, env)]
  return [...listPathCandidates(UNIX_NAMES, env), ...LINUX_CANDIDATES]
}

/** A headless shell comes first, because it starts in half the time. */
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

const LINUX_CANDIDATES = [
  '/opt/google/chrome/chrome',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium/chromium-headless-shell',
  '/opt/microsoft/msedge/msedge',
  '/var/lib/flatpak/exports/bin/com.google.Chrome',
  '/var/lib/flatpak/exports/bin/org.chromium.Chromium',
  '/snap/bin/chromium',
]

function listMacCandidates({ HOME: home = '' }: NodeJS.ProcessEnv): readonly string[] {
  const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Google Chrome Beta', 'Google Chrome Canary']
  const folders = ['/Applications', ...(home.startsWith('/') ? [posix.join(home, 'Applications')] : [])]
  return folders.flatMap((folder) => apps.map((app) => posix.join(folder, `${app}.app`, 'Contents/MacOS', app)))
}

function listWindowsCandidates(env: NodeJS.ProcessEnv): readonly string[] {
  const programs = [
    'Google\\Chrome\\Application\\chrome.exe',
    'Chromium\\Application\\chrome.exe',
    'Microsoft\\Edge\\Application\\msedge.exe',
    'Google\\Chrome Beta\\Application\\chrome.exe',
    'Google\\Chrome SxS\\Application\\chrome.exe',
  ]
  // On Windows, variable names are case-insensitive; in a copy of the environment they are not.
  const readEnv = (name: string): string => Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] ?? ''
  const folders = ['PROGRAMFILES', 'PROGRAMW6432', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .map(readEnv)
    .filter((folder) => win32.isAbsolute(folder))
  return programs.flatMap((program) => folders.map((folder) => win32.join(folder, program)))
}

/** A relative entry would let the author of the project choose the program. */
function listPathCandidates(names: readonly string[], { PATH: path = '' }: NodeJS.ProcessEnv): readonly string[] {
  const folders = path.split(posix.delimiter).filter((folder) => posix.isAbsolute(folder))
  return names.flatMap((name) => folders.map((folder) => posix.join(folder, name)))
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
