// Shows the board of this machine's user in a browser, for as long as the command runs: a server of its own on a loopback
// port. The link it prints carries a key for this run; the tokens of the HTTP server are accepted too. It serves no tool.

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

const DOOR = 'ui-'
const DOOR_MS = 60_000

/** Nothing of the server is served: whoever looks calls nothing. */
export async function serveUi(config: Config, flags: Flags, log: Log, server: Server): Promise<void> {
  const stopped = nextSignal()
  const key = randomBytes(32).toString('base64url')
  const boards = openBoards({ config, state: lazyState(config), own: undefined })
  const pageFolder = join(config.partsDir, 'page')
  const board = { boards, pageFolder, isSecure: false, publicOrigin: '', login: 'ui' } as const
  const listener = await listen(server, { ...settingsOf(config, flags, key), board, mcp: false })
  const address = `http://${HOST}:${listener.port}/#key=${key}`
  const door = flags['no-open'] ? undefined : await openDoor(config, address, log)
  await print(greeting(address))
  await stopped
  door?.remove()
  await listener.close()
  await boards.close()
}

function settingsOf({ settings }: Config, flags: Flags, key: string): HttpSettings {
  return {
    host: HOST,
    port: readPort(flags.port) ?? 0,
    policy: createPolicy({ listenHost: HOST, publicUrl: '', allowedHosts: [] }),
    authenticator: createAuthenticator({
      open: false,
      fixedTokens: [key, settings.HTTP_TOKEN],
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
 * A file that leads there: what a program is started with can be read by every user of the machine, and the key is part
 * of the address. It goes when the browser has had time to read it.
 */
async function openDoor({ settings, childEnv }: Config, address: string, log: Log) {
  const folder = stateDirOf(settings)
  const path = join(folder, `${DOOR}${randomBytes(8).toString('hex')}.html`)
  const remove = (): void => rmSync(path, { force: true })
  try {
    ensurePrivateFolder(folder)
    removeOldDoors(folder)
    process.once('exit', remove)
    writeFileSync(path, doorPage(address), { mode: 0o600, flag: 'wx' })
    setTimeout(remove, DOOR_MS).unref()
    await openInBrowser(path, childEnv)
  } catch (error) {
    remove()
    log.info(`no browser could be opened: ${reasonOf(error)}`)
  }
  return { remove }
}

/** Of those who were ended before they could do it. */
function removeOldDoors(folder: string): void {
  const doors = readdirSync(folder).filter((name) => name.startsWith(DOOR))
  for (const path of doors.map((name) => join(folder, name))) {
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (Date.now() - changedAt > DOOR_MS) rmSync(path, { force: true })
  }
}

function doorPage(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>scorpiox-code</title>
<meta http-equiv="refresh" content="0;url=${address}"><a href="${address}">scorpiox-code</a>
`
}

function greeting(address: string): string {
  return `
The page is at ${address}
Anyone with this link can open the page until this command ends.
Stop with Ctrl+C.
`
}
