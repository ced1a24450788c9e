// `scorpiox-code ui`: serves the console of the current user on a loopback port while the command runs, and opens a browser.
// The printed link contains a key for this run; tokens of the HTTP server are accepted too. MCP is not served.

import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '../config/load.js'
import { stateDirOf } from '../config/state-dir.js'
import { reasonOf } from '../lib/reason-of.js'
import type { Log } from '../platform/log.js'
import { openInBrowser } from '../platform/process.js'
import { osUser } from '../platform/user.js'
import type { Server } from '../protocol/server.js'
import { openBoards } from '../services/board/open-boards.js'
import { lazyState } from '../services/state.js'
import { openTokenFile } from '../store/token-file.js'
import { ensurePrivateFolder } from '../store/private-folder.js'
import { createAuthenticator } from '../transport/http/auth.js'
import { createPolicy } from '../transport/http/gate.js'
import { createLimits } from '../transport/http/limits.js'
import type { HttpSettings } from '../transport/http/listener.js'
import type { Flags } from './args.js'
import { listen, readPort } from './serve-http.js'
import { nextSignal, print } from './terminal.js'

const HOST = '127.0.0.1'
const MAX_BODY = 1024 * 1024

const REDIRECT_PREFIX = 'ui-'
const REDIRECT_TTL_MS = 60_000

/** `server` is required by the listener; its MCP endpoint is off. */
export async function serveUi(config: Config, flags: Flags, log: Log, server: Server): Promise<void> {
  const stopped = nextSignal()
  const loginKey = randomBytes(32).toString('base64url')
  const consoles = openBoards({ config, state: lazyState(config), own: undefined })
  const pageFolder = join(config.partsDir, 'page')
  const board = { boards: consoles, pageFolder, isSecure: false, publicOrigin: '', login: 'ui' } as const
  const listener = await listen(server, { ...httpSettings(config, flags, loginKey), board, mcp: false })
  const address = `http://${HOST}:${listener.port}/#key=${loginKey}`
  const redirect = flags['no-open'] ? undefined : await openBrowserByFile(config, address, log)
  await print(formatGreeting(address))
  await stopped
  redirect?.remove()
  await listener.close()
  await consoles.close()
}

function httpSettings({ settings }: Config, flags: Flags, loginKey: string): HttpSettings {
  return {
    host: HOST,
    port: readPort(flags.port) ?? 0,
    policy: createPolicy({ listenHost: HOST, publicUrl: '', allowedHosts: [] }),
    authenticator: createAuthenticator({
      open: false,
      fixedTokens: [loginKey, settings.HTTP_TOKEN],
      keyHeader: 'X-API-Key',
      owner: osUser(),
      tokens: openTokenFile(join(stateDirOf(settings), 'tokens.json')),
      oauth: undefined,
    }),
    limits: createLimits({ rate: 0, burst: 0, maxStreams: 50 }),
    maxBodyBytes: MAX_BODY,
    maxConnections: 200,
  }
}

/**
 * Opens the browser through a private file that redirects to the address: command lines are visible to all users of the
 * machine, and the address contains the key. The file is deleted once the browser had time to read it.
 */
async function openBrowserByFile({ settings, childEnv }: Config, address: string, log: Log) {
  const directory = stateDirOf(settings)
  const path = join(directory, `${REDIRECT_PREFIX}${randomBytes(8).toString('hex')}.html`)
  const remove = (): void => rmSync(path, { force: true })
  try {
    ensurePrivateFolder(directory)
    removeOldRedirects(directory)
    process.once('exit', remove)
    writeFileSync(path, redirectPage(address), { mode: 0o600, flag: 'wx' })
    setTimeout(remove, REDIRECT_TTL_MS).unref()
    await openInBrowser(path, childEnv)
  } catch (error) {
    remove()
    log.info(`cannot open a browser: ${reasonOf(error)}`)
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

function formatGreeting(address: string): string {
  return `
The page is at ${address}
Anyone with this link can open the page until this command ends.
Stop with Ctrl+C.
`
}
