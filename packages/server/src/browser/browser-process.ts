// Starts and supervises a browser process, controlled through pipes, with a temporary profile folder of its own. When it
// has exited, its process group and the folder are removed; so are folders left by killed servers. Used by
// browser-instance.

import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { spawnPipedChild } from '../process/piped-child.js'
import {
  currentProcessIdentity,
  isSameProcessAlive,
  pidNamespace,
  type ProcessIdentity,
  readBootId,
  readStartTimes,
} from '../process/process-identity.js'
import { hashForFileName } from '../storage/private-files.js'
import { settlesWithin } from '../async/timeouts.js'
import { VERSION } from '../config/version.js'
import { createDevtoolsConnection, type DevtoolsConnection } from './devtools.js'
import { buildLaunchFlags } from './launch-flags.js'

const START_MS = 20_000
const CLOSE_TIMEOUT_MS = 2000
const KILL_ATTEMPTS = 50
const KILL_INTERVAL_MS = 10
const MAX_STDERR_LENGTH = 4000

interface LaunchOptions {
  readonly file: string
  readonly env: NodeJS.ProcessEnv
  /** The only network access of its pages. */
  readonly proxy: ProxyAddress
}

interface ProxyAddress {
  readonly host: string
  readonly port: number
}

export interface BrowserProcess {
  readonly devtools: DevtoolsConnection
  readonly pid: number
  readonly proxy: ProxyAddress
  /** Its own user agent, followed by our name. */
  readonly userAgent: string
  readonly isSandboxed: boolean
  readonly hasExited: boolean
  /** Resolves when no process and no folder of it is left, whatever ended it. */
  readonly exited: Promise<void>
  close(): Promise<void>
}

export async function launchBrowser(options: LaunchOptions): Promise<BrowserProcess> {
  await removeAbandonedProfiles()
  const isRoot = process.getuid?.() === 0
  if (isRoot) return startBrowser(options, false)
  try {
    return await startBrowser(options, true)
  } catch (error) {
    // A container without user namespaces has no sandbox.
    if (!NO_SANDBOX_ERROR.test(errorMessage(error))) throw error
    return startBrowser(options, false)
  }
}

const NO_SANDBOX_ERROR = /no usable sandbox|move to new namespace|setuid sandbox|credentials\.cc/i

async function startBrowser({ file, env, proxy }: LaunchOptions, isSandboxed: boolean): Promise<BrowserProcess> {
  const profile = await createProfileFolder()
  let stderrTail = ''
  const devtools = createDevtoolsConnection((text) => child.send(text))
  const onStderr = (chunk: Buffer): void =>
    void (stderrTail = (stderrTail + chunk.toString()).slice(-MAX_STDERR_LENGTH))
  const args = buildLaunchFlags({ profile, proxyHost: proxy.host, isSandboxed })
  const child = await spawnPipedChild(file, args, {
    cwd: profile,
    env: createBrowserEnvironment(env, profile),
    onData: (chunk) => devtools.receive(chunk),
    onStderr,
  }).catch(async (error: unknown) => {
    await removeProfileFolder(profile)
    throw new Failure(`The browser ${file} could not be started: ${errorMessage(error)}. ${REPAIR_ADVICE}`, {
      cause: error,
    })
  })

  let hasExited = false
  const exited = child.exited.then(async () => {
    hasExited = true
    devtools.close('the browser has exited')
    // Its child processes exit with it, but may take a moment.
    for (let tries = 0; tries < KILL_ATTEMPTS && child.kill(); tries++) await sleep(KILL_INTERVAL_MS)
    await removeProfileFolder(profile)
  })

  async function close(): Promise<void> {
    devtools.root.sendWithoutReply('Browser.close')
    if (await settlesWithin(CLOSE_TIMEOUT_MS, child.exited)) return exited
    child.kill()
    return exited
  }

  const version = await readVersion(devtools, child.exited)
  if (typeof version === 'string') {
    await close()
    throw new Failure(`The browser ${file} ${version}${formatStderr(stderrTail)}. ${REPAIR_ADVICE}`)
  }
  return {
    devtools,
    pid: child.pid,
    proxy,
    userAgent: version.userAgent,
    isSandboxed,
    get hasExited() {
      return hasExited
    },
    exited,
    close,
  }
}

const REPAIR_ADVICE =
  'Repair it (missing libraries come with the package of the browser), or set BROWSER_PATH to another browser ' +
  'or to off'

/** Its user agent, or a description of its failure. */
async function readVersion(
  { root }: DevtoolsConnection,
  exited: Promise<{ readonly code: number | null }>,
): Promise<{ readonly userAgent: string } | string> {
  const reply = root.send('Browser.getVersion').catch(() => undefined)
  const exit = exited.then(({ code }) => `exited immediately with code ${code ?? 'unknown'}`)
  if (!(await settlesWithin(START_MS, Promise.race([reply, exit])))) return `did not answer within ${START_MS / 1000} s`
  const first = await Promise.race([reply, exit])
  if (typeof first === 'string') return first
  if (!isJsonObject(first) || typeof first.userAgent !== 'string') return exit
  root.sendWithoutReply('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
  return { userAgent: `${first.userAgent.replace('HeadlessChrome', 'Chrome')} scorpiox-code/${VERSION}` }
}

function formatStderr(stderrTail: string): string {
  const lines = stderrTail.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? '' : ` and printed: ${lines.slice(-5).join(' | ').slice(-1000).replace(/\.$/, '')}`
}

/**
 * Keeps it from using a display, a keyring or the notifications of the user's desktop; its temporary files are in its
 * folder.
 */
function createBrowserEnvironment(env: NodeJS.ProcessEnv, profile: string): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = env
  // The path of the socket that it creates there must not become too long.
  const tempFolder = profile.length <= 60 ? { TMPDIR: profile } : {}
  return { ...rest, ...tempFolder, DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
}

const PROFILE_NAME = /^scorpiox-browser-(\d+)-(\d*)-([0-9a-f]+)-([0-9a-f]+)-\w+$/

/**
 * The temporary profile folder of one browser: private to this user, removed when the browser has exited. Its name
 * identifies the server process, so that the next server removes the folders of killed ones.
 */
export function createProfileFolder(parent = tmpdir()): Promise<string> {
  const { pid, startedAt, boot, startedAtMs } = currentProcessIdentity()
  const start = startedAtMs ?? startedAt
  return mkdtemp(join(parent, `scorpiox-browser-${pid}-${start}-${shortHash(boot)}-${shortHash(pidNamespace())}-`))
}

/** A browser that is exiting may still write into it. */
export async function removeProfileFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => {})
}

/** Removes the folders of this user whose server process is not running. */
export async function removeAbandonedProfiles(parent = tmpdir()): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  await readStartTimes(names.flatMap((name) => identifyOwner(name) ?? []))
  for (const name of names.filter(isAbandoned)) {
    const folder = join(parent, name)
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) await removeProfileFolder(folder)
  }
}

/** A pid is only valid until the next boot, and in the same pid namespace. */
function isAbandoned(name: string): boolean {
  const [, pid, , boot, namespace] = PROFILE_NAME.exec(name) ?? []
  if (pid === undefined) return false
  if (boot !== shortHash(readBootId())) return true
  const owner = identifyOwner(name)
  return namespace === shortHash(pidNamespace()) && owner !== undefined && !isSameProcessAlive(owner)
}

/** The process that has created the folder; in this boot, if there are such IDs. */
function identifyOwner(name: string): ProcessIdentity | undefined {
  const [, pid, start = ''] = PROFILE_NAME.exec(name) ?? []
  if (pid === undefined) return undefined
  const boot = readBootId()
  if (boot !== '') return { pid: Number(pid), startedAt: start, boot }
  return { pid: Number(pid), startedAt: '', boot, startedAtMs: start === '' ? undefined : Number(start) }
}

function shortHash(text: string): string {
  return hashForFileName(text).slice(0, 6)
}
