// Starts and supervises a browser process, controlled through pipes, with a profile folder of its own. When it has
// exited, its process group and the folder are removed.

import { setTimeout as sleep } from 'node:timers/promises'

import { comesWithin } from '../../lib/comes-within.js'
import { Failure } from '../../lib/failure.js'
import { isObject } from '../../lib/json.js'
import { reasonOf } from '../../lib/reason-of.js'
import { VERSION } from '../../lib/version.js'
import { startTalker } from '../process.js'
import { browserArguments } from './arguments.js'
import { createDevtools, type Devtools } from './devtools.js'
import { createProfile, removeProfile, sweepProfiles } from './profile.js'

const START_MS = 20_000
const CLOSE_TIMEOUT_MS = 2000
const KILL_ATTEMPTS = 50
const KILL_INTERVAL_MS = 10
const MAX_STDERR_LENGTH = 4000

interface Launch {
  readonly file: string
  readonly env: NodeJS.ProcessEnv
  /** The only network access of its pages. */
  readonly proxy: ProxyAddress
}

interface ProxyAddress {
  readonly host: string
  readonly port: number
}

export interface LiveBrowser {
  readonly devtools: Devtools
  readonly pid: number
  readonly proxy: ProxyAddress
  /** Its own user agent, followed by our name. */
  readonly userAgent: string
  readonly isSandboxed: boolean
  readonly isOver: boolean
  /** Resolves when no process and no folder of it is left, whatever ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export async function launchBrowser(options: Launch): Promise<LiveBrowser> {
  await sweepProfiles()
  const isRoot = process.getuid?.() === 0
  if (isRoot) return startBrowser(options, false)
  try {
    return await startBrowser(options, true)
  } catch (error) {
    // A container without user namespaces has no sandbox.
    if (!NO_SANDBOX_ERROR.test(reasonOf(error))) throw error
    return startBrowser(options, false)
  }
}

const NO_SANDBOX_ERROR = /no usable sandbox|move to new namespace|setuid sandbox|credentials\.cc/i

async function startBrowser({ file, env, proxy }: Launch, isSandboxed: boolean): Promise<LiveBrowser> {
  const profile = await createProfile()
  let stderrTail = ''
  const devtools = createDevtools((text) => child.tell(text))
  const onStderr = (chunk: Buffer): void =>
    void (stderrTail = (stderrTail + chunk.toString()).slice(-MAX_STDERR_LENGTH))
  const args = browserArguments({ profile, proxyHost: proxy.host, isSandboxed })
  const child = await startTalker(file, args, {
    cwd: profile,
    env: createBrowserEnvironment(env, profile),
    onHeard: (chunk) => devtools.hear(chunk),
    onComplaint: onStderr,
  }).catch(async (error: unknown) => {
    await removeProfile(profile)
    throw new Failure(`The browser ${file} could not be started: ${reasonOf(error)}. ${REPAIR_ADVICE}`, {
      cause: error,
    })
  })

  let hasExited = false
  const exited = child.exited.then(async () => {
    hasExited = true
    devtools.end('the browser has ended')
    // Its child processes exit with it, but may take a moment.
    for (let tries = 0; tries < KILL_ATTEMPTS && child.kill(); tries++) await sleep(KILL_INTERVAL_MS)
    await removeProfile(profile)
  })

  async function close(): Promise<void> {
    devtools.root.tell('Browser.close')
    if (await comesWithin(CLOSE_TIMEOUT_MS, child.exited)) return exited
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
    get isOver() {
      return hasExited
    },
    ended: exited,
    close,
  }
}

const REPAIR_ADVICE =
  'Repair it (a library that is missing comes with the package of the browser), or set BROWSER_PATH to another one, ' +
  'or to off'

/** Its user agent, or a description of its failure. */
async function readVersion(
  { root }: Devtools,
  exited: Promise<{ readonly code: number | null }>,
): Promise<{ readonly userAgent: string } | string> {
  const reply = root.ask('Browser.getVersion').catch(() => undefined)
  const exit = exited.then(({ code }) => `ended at once with code ${code ?? 'unknown'}`)
  if (!(await comesWithin(START_MS, Promise.race([reply, exit])))) return `did not answer within ${START_MS / 1000} s`
  const first = await Promise.race([reply, exit])
  if (typeof first === 'string') return first
  if (!isObject(first) || typeof first.userAgent !== 'string') return exit
  root.tell('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
  return { userAgent: `${first.userAgent.replace('HeadlessChrome', 'Chrome')} scorpiox-code/${VERSION}` }
}

function formatStderr(stderrTail: string): string {
  const lines = stderrTail.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? '' : ` and said: ${lines.slice(-5).join(' | ').slice(-1000).replace(/\.$/, '')}`
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
