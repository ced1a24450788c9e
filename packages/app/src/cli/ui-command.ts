// `scorpiox-code ui`: serves the console of the current user on a loopback port while the command runs, and opens a
// browser. The printed link contains a key for this run; browsers that have opened one stay logged in, and tokens of the
// HTTP server are accepted too. MCP is not served. Called by cli/commands.ts. Opens a port, starts a browser, and writes a
// private file that redirects it, deleted after a minute. Sets timers.

import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { openUserConsoles } from '@scorpiox/console/user-consoles'
import { errorMessage } from '@scorpiox/mcp/errors'
import { createAuthenticator } from '@scorpiox/mcp/http/authenticator'
import { createHostPolicy } from '@scorpiox/mcp/http/host-policy'
import { createRateLimits } from '@scorpiox/mcp/http/rate-limits'
import type { Log } from '@scorpiox/mcp/log'
import { getOsUser, hasErrorCode } from '@scorpiox/mcp/os'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import { isSameSecret } from '@scorpiox/mcp/is-same-secret'
import type { Config } from '@scorpiox/server/config/load-config'
import { getStateDir } from '@scorpiox/server/config/paths'
import { listWritableRoots } from '@scorpiox/server/config/writable-roots'
import { createLazyDatabase } from '@scorpiox/server/lazy-state'
import { openInBrowser } from '@scorpiox/server/process/run-program'
import { createTrustedEnvironment } from '@scorpiox/server/process/trusted-program'
import { ensurePrivateFolder } from '@scorpiox/server/storage/private-files'
import { print, waitForStopSignal } from '@scorpiox/server/terminal/terminal'
import type { CommandFlags } from '../arguments.js'
import { LINK_CREDENTIAL } from '../http/browser-actions.js'
import { type BrowserLogins, type BrowserSession, openBrowserLogins } from '../http/browser-logins.js'
import { consolesOfProject } from '../http/console-endpoint.js'
import { type ProgramHttpOptions, startProgramHttp } from '../http/start-http.js'
import { openTokenFile } from '../http/token-file.js'
import { HOST_SETTINGS, openHttpListener, parsePort } from './serve-http.js'

const HOST = '127.0.0.1'
const MAX_BODY = 8 * 1024 * 1024

/** Not beginning with the prefix of the redirects, which are deleted. */
const LOGINS_FILE = 'console-browsers.json'

const REDIRECT_PREFIX = 'ui-'
const REDIRECT_TTL_MS = 60_000

/** `server` is required by the listener; its MCP endpoint is off. */
export async function runUiCommand(config: Config, flags: CommandFlags, log: Log, server: McpServer): Promise<void> {
  const stopped = waitForStopSignal()
  const loginKey = randomBytes(32).toString('base64url')
  const consoles = openUserConsoles({ config, state: createLazyDatabase(config), localFeed: undefined })
  const logins = openBrowserLogins(join(getStateDir(config.settings), LOGINS_FILE), log)
  if (flags['new-key']) logins.revokeAll()
  const browsers = logins.open(getOsUser())
  const pageFolder = join(config.partsDir, 'page')
  const consoleFor = consolesOfProject(consoles)
  const console = { consoleFor, pageFolder, isSecure: false, publicOrigin: '', login: 'ui', browsers } as const
  const settings = { ...httpSettings(config, { loginKey, browsers }), console, servesMcp: false }
  const port = parsePort(flags.port)
  const listener = await listen(server, settings, port === undefined ? logins.listPorts() : [], port ?? 0)
  browsers.setPort(listener.port)
  if (port !== 0) rememberPort(logins, listener.port, port !== undefined, log)
  const address = `http://${HOST}:${listener.port}/#key=${loginKey}`
  const redirect = flags['no-open'] ? undefined : await openBrowserByFile(config, address, log)
  await print(formatGreeting(address, flags['new-key'] === true))
  await stopped
  redirect?.remove()
  await listener.close()
  await consoles.close()
}

type UiHttpOptions = Omit<ProgramHttpOptions, 'port'>

/**
 * The first free one of the ports that were used before, so that bookmarks and logins of browsers stay valid, or else
 * `port`.
 */
async function listen(server: McpServer, settings: UiHttpOptions, ports: readonly number[], port: number) {
  for (const used of ports) {
    try {
      return await startProgramHttp(server, { ...settings, port: used })
    } catch (error) {
      if (!hasErrorCode(error, 'EADDRINUSE', 'EACCES')) throw error
    }
  }
  return openHttpListener(server, { ...settings, port })
}

/** The console works without: browsers have to open a link again after the next start. */
function rememberPort(logins: BrowserLogins, port: number, isChosen: boolean, log: Log): void {
  const ports = logins.listPorts()
  if (isChosen ? ports[0] === port : ports.includes(port)) return
  try {
    logins.rememberPort(port, isChosen ? 'first' : 'last')
  } catch (error) {
    log.warn(errorMessage(error))
  }
}

interface UiCredentials {
  readonly loginKey: string
  readonly browsers: BrowserSession
}

function httpSettings({ settings }: Config, { loginKey, browsers }: UiCredentials): UiHttpOptions {
  const tokens = openTokenFile(join(getStateDir(settings), 'tokens.json'))
  const user = getOsUser()
  return {
    host: HOST,
    hostPolicy: createHostPolicy({ listenHost: HOST, publicUrl: '', allowedHosts: [], names: HOST_SETTINGS }),
    authenticator: createAuthenticator({
      allowAnonymous: false,
      fixedTokens: [settings.HTTP_TOKEN],
      keyHeader: 'X-API-Key',
      defaultUser: user,
      tokens: {
        find(credential) {
          if (isSameSecret(credential, loginKey)) return { id: LINK_CREDENTIAL, user }
          return browsers.find(credential) ?? tokens.find(credential)
        },
      },
      oauth: undefined,
    }),
    rateLimits: createRateLimits({ rate: 0, burst: 0, maxStreams: 50 }),
    maxBodyBytes: MAX_BODY,
    maxConnections: 200,
  }
}

/**
 * Opens the browser through a private file that redirects to the address: command lines are visible to all users of the
 * machine, and the address contains the key. The file is deleted once the browser had time to read it.
 */
async function openBrowserByFile(config: Config, address: string, log: Log) {
  const directory = getStateDir(config.settings)
  const path = join(directory, `${REDIRECT_PREFIX}${randomBytes(8).toString('hex')}.html`)
  const remove = (): void => rmSync(path, { force: true })
  try {
    ensurePrivateFolder(directory)
    removeOldRedirects(directory)
    process.once('exit', remove)
    writeFileSync(path, redirectPage(address), { mode: 0o600, flag: 'wx' })
    setTimeout(remove, REDIRECT_TTL_MS).unref()
    await openInBrowser(path, createTrustedEnvironment(config.childEnv, listWritableRoots(config)))
  } catch (error) {
    remove()
    log.info(`cannot open a browser: ${errorMessage(error)}`)
  }
  return { remove }
}

/** Deletes files left by processes that were killed. */
function removeOldRedirects(directory: string): void {
  const names = readdirSync(directory).filter((name) => name.startsWith(REDIRECT_PREFIX))
  for (const path of names.map((name) => join(directory, name))) {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - changedAt > REDIRECT_TTL_MS) rmSync(path, { force: true })
  }
}

function redirectPage(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>scorpiox-code</title>
<meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">scorpiox-code</a>
`
}

function formatGreeting(address: string, isRevoked: boolean): string {
  return `
The console is at ${address}
Anyone with this link can open it until this command ends. ${
    isRevoked ? 'All other browsers are logged out.' : 'A tab that has opened it stays logged in.'
  }
Stop with Ctrl+C.
`
}
