// Starts a browser and holds it: a process that hears us through a pipe, in a folder of its own. When it has ended, both
// are gone.

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
const FAREWELL_MS = 2000
const LAST_TRIES = 50
const LAST_MS = 10
const MAX_COMPLAINT = 4000

export interface Launch {
  readonly file: string
  readonly env: NodeJS.ProcessEnv
  /** The only way out that its pages have. */
  readonly proxy: ProxyAddress
}

export interface ProxyAddress {
  readonly host: string
  readonly port: number
}

export interface LiveBrowser {
  readonly devtools: Devtools
  readonly pid: number
  readonly proxy: ProxyAddress
  /** As it calls itself, with our name behind it. */
  readonly userAgent: string
  readonly isSandboxed: boolean
  readonly isOver: boolean
  /** Resolves when no process and no folder of it is left, however it ended. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

export async function launchBrowser(launch: Launch): Promise<LiveBrowser> {
  await sweepProfiles()
  const isRoot = process.getuid?.() === 0
  if (isRoot) return start(launch, false)
  try {
    return await start(launch, true)
  } catch (error) {
    // A container without user namespaces has none to give.
    if (!NO_SANDBOX.test(reasonOf(error))) throw error
    return start(launch, false)
  }
}

const NO_SANDBOX = /no usable sandbox|move to new namespace|setuid sandbox|credentials\.cc/i

async function start({ file, env, proxy }: Launch, isSandboxed: boolean): Promise<LiveBrowser> {
  const profile = await createProfile()
  let complaint = ''
  const devtools = createDevtools((text) => talker.tell(text))
  const onComplaint = (chunk: Buffer): void => void (complaint = (complaint + chunk.toString()).slice(-MAX_COMPLAINT))
  const args = browserArguments({ profile, proxyHost: proxy.host, isSandboxed })
  const talker = await startTalker(file, args, {
    cwd: profile,
    env: ownEnvironment(env, profile),
    onHeard: (chunk) => devtools.hear(chunk),
    onComplaint,
  }).catch(async (error: unknown) => {
    await removeProfile(profile)
    throw new Failure(`The browser ${file} could not be started: ${reasonOf(error)}. ${ADVICE}`, { cause: error })
  })

  let isOver = false
  const ended = talker.exited.then(async () => {
    isOver = true
    devtools.end('the browser has ended')
    // What it started ends with it, but need not be quick about it.
    for (let tries = 0; tries < LAST_TRIES && talker.kill(); tries++) await sleep(LAST_MS)
    await removeProfile(profile)
  })

  async function close(): Promise<void> {
    devtools.root.tell('Browser.close')
    if (await comesWithin(FAREWELL_MS, talker.exited)) return ended
    talker.kill()
    return ended
  }

  const version = await firstAnswer(devtools, talker.exited)
  if (typeof version === 'string') {
    await close()
    throw new Failure(`The browser ${file} ${version}${saidOf(complaint)}. ${ADVICE}`)
  }
  return {
    devtools,
    pid: talker.pid,
    proxy,
    userAgent: version.userAgent,
    isSandboxed,
    get isOver() {
      return isOver
    },
    ended,
    close,
  }
}

const ADVICE =
  'Repair it (a library that is missing comes with the package of the browser), or set BROWSER_PATH to another one, ' +
  'or to off'

/** Its name for itself, or what became of it. */
async function firstAnswer(
  { root }: Devtools,
  exited: Promise<{ readonly code: number | null }>,
): Promise<{ readonly userAgent: string } | string> {
  const answer = root.ask('Browser.getVersion').catch(() => undefined)
  const end = exited.then(({ code }) => `ended at once with code ${code ?? 'unknown'}`)
  if (!(await comesWithin(START_MS, Promise.race([answer, end])))) return `did not answer within ${START_MS / 1000} s`
  const first = await Promise.race([answer, end])
  if (typeof first === 'string') return first
  if (!isObject(first) || typeof first.userAgent !== 'string') return end
  root.tell('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
  return { userAgent: `${first.userAgent.replace('HeadlessChrome', 'Chrome')} scorpiox-code/${VERSION}` }
}

function saidOf(complaint: string): string {
  const lines = complaint.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? '' : ` and said: ${lines.slice(-5).join(' | ').slice(-1000).replace(/\.$/, '')}`
}

/** It is not to look for a screen, a keyring or the notices of the person's desktop, and its scraps go with its folder. */
function ownEnvironment(env: NodeJS.ProcessEnv, profile: string): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = env
  // The name of a socket that it makes there must not become too long.
  const scraps = profile.length <= 60 ? { TMPDIR: profile } : {}
  return { ...rest, ...scraps, DBUS_SESSION_BUS_ADDRESS: 'disabled:' }
}
