// Browser tabs that stay logged in to the console of `ui`, and the ports it has used, in a private file. A tab that was
// opened by a link makes a key pair; only the public key is stored here, and the private key stays in the memory of the
// tab: a program that listens on the port while `ui` does not run finds nothing in the browser that is valid later. To log
// in, the tab signs the number of the running `ui` and its own origin. Used by ui-command.ts. Reads and writes the file.

import { createPublicKey, hash, type KeyObject, randomBytes, verify } from 'node:crypto'
import { dirname } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import type { FoundToken, TokenLookup } from '@scorpiox/mcp/http/authenticator'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { Log } from '@scorpiox/mcp/log'
import { replaceFile } from '@scorpiox/mcp/atomic-file'
import { withFileLock } from '@scorpiox/server/storage/file-lock'
import { ensurePrivateFolder, readOwnFileNow } from '@scorpiox/server/storage/private-files'
import { tryParseUrl } from '@scorpiox/server/text/parse-url'

/** A tab that has not logged in for so long has to open a link again. */
const MAX_UNUSED_MS = 30 * 86_400_000
/** The time of use is written at most this often. */
const USE_RESOLUTION_MS = 3_600_000
/** A request waits for it. */
const USE_LOCK_TIMEOUT_MS = 50
/** Beyond these, the ones that were used least recently are forgotten. */
const MAX_TABS = 100
const MAX_PORTS = 5
const MAX_FILE_BYTES = 64 * 1024

const CREDENTIAL = /^browser\.([\da-f]{32})\.([\w-]{22,64})\.([\w-]{86})$/

export interface BrowserLogins {
  /** Ports that were used, in the order in which they are to be tried. */
  listPorts(): readonly number[]
  /** As the last one to be tried, or as the first. */
  rememberPort(port: number, place: 'first' | 'last'): void
  /** Logs out every browser and forgets the ports, because pages of the old origins may still be open. */
  revokeAll(): void
  /** The credentials of one run of `ui`. */
  open(user: string): BrowserSession
}

export interface BrowserSession extends TokenLookup {
  /** Random; browsers sign it. */
  readonly run: string
  /** Called when `ui` listens; no browser can log in before. */
  setPort(port: number): void
  /**
   * Returns the id with which the tab signs in from now on; undefined if `openedBy` is not a login that exists.
   * `openedBy` is the id of the credential of another tab, if the tab has logged in with that.
   */
  remember(publicKey: string, origin: string, openedBy: string | undefined): string | undefined
  /** Logs out the tab, and the tabs that have logged in with its credential. */
  forget(id: string): void
}

interface TabRecord {
  readonly id: string
  /** The id of the tab that was opened by the link; tabs that have its credential log out together. */
  readonly login: string
  readonly origin: string
  /** SPKI as base64url. */
  readonly publicKey: string
  readonly usedAt: number
}

interface Content {
  readonly ports: readonly number[]
  readonly browsers: readonly TabRecord[]
}

const EMPTY: Content = { ports: [], browsers: [] }
/** Keys of version 1 were stored in the browser, where another program on the port could have used them. */
const VERSION = 2

export function openBrowserLogins(path: string, log: Log, now: () => number = Date.now): BrowserLogins {
  const read = (): Content => parseContent(readOwnFileNow(path, MAX_FILE_BYTES))
  let useWriteFailedAt = Number.NEGATIVE_INFINITY
  const isUsable = ({ usedAt }: TabRecord): boolean => Math.abs(now() - usedAt) < MAX_UNUSED_MS

  function change(update: (content: Content) => Content, lockTimeoutMs?: number): void {
    ensurePrivateFolder(dirname(path))
    const write = (isStillHeld: () => boolean): boolean => {
      const { ports, browsers } = update(read())
      const kept = browsers.filter(isUsable).toSorted((a, b) => b.usedAt - a.usedAt)
      const next = { version: VERSION, ports, browsers: kept.slice(0, MAX_TABS) }
      return replaceFile(path, `${JSON.stringify(next, null, 2)}\n`, isStillHeld)
    }
    while (!withFileLock(`${path}.lock`, write, lockTimeoutMs));
  }

  function findTab(credential: string, run: string, port: number, user: string): FoundToken | undefined {
    const [, id = '', signedRun = '', signature = ''] = CREDENTIAL.exec(credential) ?? []
    if (signedRun !== run) return undefined
    const tab = read().browsers.find((each) => each.id === id && portOf(each.origin) === port && isUsable(each))
    if (!tab || !isSignedBy(tab, run, signature)) return undefined
    noteUse(tab)
    return { id: toCredentialId(tab), user }
  }

  /** The request is served even if the time cannot be written. A login that was revoked meanwhile stays revoked. */
  function noteUse({ id, usedAt }: TabRecord): void {
    if (now() - usedAt <= USE_RESOLUTION_MS || Math.abs(now() - useWriteFailedAt) < USE_RESOLUTION_MS) return
    try {
      const update = (each: TabRecord): TabRecord => (each.id === id ? { ...each, usedAt: now() } : each)
      change(({ ports, browsers }) => ({ ports, browsers: browsers.map(update) }), USE_LOCK_TIMEOUT_MS)
    } catch (error) {
      useWriteFailedAt = now()
      log.warn(`cannot store when a browser was used: ${errorMessage(error)}`)
    }
  }

  function addTab(publicKey: string, origin: string, openedBy: string | undefined): string | undefined {
    const id = hash('sha256', `${origin} ${publicKey}`).slice(0, 32)
    let isAdded = false
    change(({ ports, browsers }) => {
      const login = openedBy === undefined ? id : browsers.find((each) => toCredentialId(each) === openedBy)?.login
      isAdded = login !== undefined
      if (login === undefined) return { ports, browsers }
      const others = browsers.filter((each) => each.id !== id)
      return { ports, browsers: [{ id, login, origin, publicKey, usedAt: now() }, ...others] }
    })
    return isAdded ? id : undefined
  }

  return {
    listPorts: () => read().ports,
    rememberPort(port, place) {
      change(({ ports, browsers }) => {
        const others = ports.filter((each) => each !== port).slice(0, MAX_PORTS - 1)
        return { ports: place === 'first' ? [port, ...others] : [...others, port], browsers }
      })
    },
    revokeAll: () => change(() => EMPTY),
    open(user) {
      let port = 0
      const run = randomBytes(32).toString('base64url')
      return {
        run,
        setPort: (listening) => void (port = listening),
        find: (credential) => findTab(credential, run, port, user),
        remember(publicKey, origin, openedBy) {
          if (!parsePublicKey(publicKey)) throw new Failure('publicKey must be a P-256 key, as SPKI in base64url')
          if (portOf(origin) !== port) throw new Failure(`The origin ${origin} is not that of this console`)
          return addTab(publicKey, origin, openedBy)
        },
        forget: (id) =>
          change(({ ports, browsers }) => {
            const login = browsers.find((each) => each.id === id)?.login
            return { ports, browsers: browsers.filter((each) => each.login !== login) }
          }),
      }
    },
  }
}

/** For the log; at most one of some hundred has it. */
function toCredentialId({ id }: TabRecord): string {
  return `browser:${id.slice(0, 8)}`
}

/** What the browser signs; browser-login.ts of the page has the same. */
function toSignedText(run: string, origin: string): string {
  return `scorpiox-code ui\n${run}\n${origin}`
}

function isSignedBy({ publicKey, origin }: TabRecord, run: string, signature: string): boolean {
  const key = parsePublicKey(publicKey)
  if (!key) return false
  const bytes = Buffer.from(signature, 'base64url')
  return verify('sha256', Buffer.from(toSignedText(run, origin)), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

function parsePublicKey(text: string): KeyObject | undefined {
  if (!/^[\w-]{100,200}$/.test(text)) return undefined
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64url'), format: 'der', type: 'spki' })
    const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isP256 ? key : undefined
  } catch {
    return undefined
  }
}

function portOf(origin: string): number {
  return Number(tryParseUrl(origin)?.port ?? 0)
}

/** Content that this program would not write counts as none: browsers have to open a link again. */
function parseContent(text: string | undefined): Content {
  const content = text === undefined ? undefined : tryParseJson(text)
  if (!isJsonObject(content) || content.version !== VERSION) return EMPTY
  const { ports, browsers } = content
  return {
    ports: Array.isArray(ports) ? ports.filter(isPort) : [],
    browsers: Array.isArray(browsers) ? browsers.filter(isTabRecord) : [],
  }
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 65_535
}

function isTabRecord(value: unknown): value is TabRecord {
  if (!isJsonObject(value)) return false
  const { id, login, origin, publicKey, usedAt } = value
  return [id, login, origin, publicKey].every((text) => typeof text === 'string') && typeof usedAt === 'number'
}
