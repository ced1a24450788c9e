// `scorpiox-code serve --http`: reads the options, checks authentication, TLS and the sandbox, and listens until a stop
// signal. All checks run before the port is opened, so that a wrong option never exposes a shell.

import { join } from 'node:path'

import type { Config } from '../config/load.js'
import type { Settings } from '../config/options.js'
import { stateDirOf } from '../config/state-dir.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { createErrorWriter, type Log } from '../platform/log.js'
import { osUser } from '../platform/user.js'
import type { Server } from '../protocol/server.js'
import { afterStart } from '../services/shell/after-start.js'
import type { Confinement } from '../services/shell/confinement.js'
import type { Boards } from '../services/board/shared-boards.js'
import { openTokenFile, type TokenFile } from '../store/token-file.js'
import { createAccessLog, type AccessLog } from '../transport/http/access-log.js'
import { createAuthenticator } from '../transport/http/auth.js'
import { createPolicy, isLoopback } from '../transport/http/gate.js'
import { createLimits } from '../transport/http/limits.js'
import { listenHttp, type HttpSettings } from '../transport/http/listener.js'
import { createOAuth, type OAuth } from '../transport/http/oauth.js'
import { openTls } from '../transport/http/tls.js'
import type { Flags } from './args.js'
import { confineHttp, type Exposure } from './confine-http.js'
import { launch, typedName } from './self.js'
import { formatServeGreeting } from './serve-greeting.js'
import { nextSignal, outputColumns, print } from './terminal.js'
import { UsageError } from './usage-error.js'

export interface Serving {
  readonly server: Server
  /** Opens the consoles, one for each user. */
  openBoards(): Promise<Boards>
}

export async function serveHttp(
  createServing: (commandSandbox: Confinement) => Serving,
  config: Config,
  flags: Flags,
  log: Log,
): Promise<void> {
  // Before the greeting is printed: its reader may send a signal at once.
  const stopped = nextSignal()
  const options = await readServeOptions(config.settings, flags, log)
  const exposure: Exposure = {
    host: options.http.host,
    isLoopback: isLoopback(options.http.host),
    isWaived: flags['no-sandbox'] ?? false,
  }
  const commandSandbox = await confineHttp(config, exposure, log)
  const assembled = createServing(commandSandbox)
  const consoles = await assembled.openBoards()
  const board = { boards: consoles, ...consoleAddress(config, options) }
  const listener = await listen(assembled.server, { ...options.http, board })
  const scheme = options.http.tls ? 'https' : 'http'
  const { host } = options.http
  const localUrl = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${listener.port}/mcp`
  // Created after listening: the token is printed only once, and a failed start must not create it.
  const firstToken = options.firstTokenStore?.create({ name: 'first', user: osUser() }).token
  void afterStart(config, log, commandSandbox)
  const greeting = formatServeGreeting({
    localUrl,
    publicUrl: options.publicUrl === '' ? localUrl : `${stripEndpoint(options.publicUrl)}/mcp`,
    requiresToken: !options.isOpen,
    newToken: firstToken,
    sandbox: commandSandbox.level,
    launch: launch(),
    program: typedName(config.childEnv.PATH),
    columns: outputColumns(),
  })
  await print(greeting)
  await stopped
  await listener.close()
  await consoles.close()
}

function consoleAddress({ partsDir }: Config, { http, publicUrl, isOpen }: HttpServeOptions) {
  const publicOrigin = publicUrl === '' ? '' : new URL(publicUrl).origin
  const login: 'open' | 'server' = isOpen ? 'open' : 'server'
  return { pageFolder: join(partsDir, 'page'), isSecure: http.tls !== undefined, publicOrigin, login }
}

interface HttpServeOptions {
  readonly http: HttpSettings
  readonly publicUrl: string
  /** Whether authentication is off. */
  readonly isOpen: boolean
  /** The file in which to create the first token; undefined if one exists. */
  readonly firstTokenStore: TokenFile | undefined
}

async function readServeOptions(settings: Settings, flags: Flags, log: Log): Promise<HttpServeOptions> {
  const host = flags.host ?? settings.HTTP_HOST
  const isOpen = flags['no-auth'] ?? false
  const { PUBLIC_URL: publicUrl, HTTP_TOKEN: fixedToken } = settings
  if (isOpen && !isLoopback(host)) throw new UsageError(`--no-auth is for loopback addresses only, not for ${host}`)
  const policy = createPolicy({ listenHost: host, publicUrl, allowedHosts: splitList(settings.ALLOWED_HOSTS) })
  if (isOpen && ![...policy.hosts].every(isLoopback)) {
    throw new UsageError('--no-auth is for this machine only: remove PUBLIC_URL and ALLOWED_HOSTS, or use a token')
  }
  const tls = readTls(settings, log)
  if (!isLoopback(host) && !tls && !flags['behind-proxy']) {
    throw new UsageError(
      `${host} is reachable from outside, and tokens must not be sent unencrypted: set TLS_CERT and TLS_KEY, ` +
        `or add --behind-proxy if a proxy in front of it provides HTTPS`,
    )
  }
  const oauth = readOAuth(settings, log)
  const tokens = isOpen ? undefined : openTokenFile(join(stateDirOf(settings), 'tokens.json'))
  if (tokens) logTokenFileProblems(tokens, log)
  const hasNoCredentials =
    tokens !== undefined && oauth === undefined && fixedToken === '' && tokens.list().length === 0
  if (hasNoCredentials && !isLoopback(host)) {
    throw new UsageError('no credentials exist: create a token with `scorpiox-code token create`, then start again')
  }
  const { RATE_LIMIT: rate, RATE_BURST: burst, MAX_OPEN_PER_USER: maxStreams } = settings
  const owner = osUser()
  const http: HttpSettings = {
    host,
    port: readPort(flags.port) ?? settings.HTTP_PORT,
    policy,
    authenticator: createAuthenticator({
      open: isOpen,
      keyHeader: settings.HTTP_KEY_HEADER,
      fixedTokens: [fixedToken],
      owner,
      tokens,
      oauth,
    }),
    limits: createLimits({ rate, burst, maxStreams }),
    maxBodyBytes: settings.MAX_LINE_BYTES,
    basePath: publicUrl === '' ? '' : new URL(stripEndpoint(publicUrl)).pathname.replace(/\/$/, ''),
    maxConnections: settings.MAX_CONNECTIONS,
    tls,
    accessLog: await openAccessLog(settings.ACCESS_LOG, log),
  }
  return { http, publicUrl, isOpen, firstTokenStore: hasNoCredentials ? tokens : undefined }
}

/** Logs why the token file cannot be read: all callers are rejected as long as it cannot. */
function logTokenFileProblems(tokens: TokenFile, log: Log): void {
  let lastReported: string | undefined
  const check = (): void => {
    const problem = tokens.problem()
    if (problem !== undefined && problem !== lastReported) log.warn(problem)
    lastReported = problem
  }
  setInterval(check, 5000).unref()
}

/** The address without the endpoint, which PUBLIC_URL may or may not contain. */
function stripEndpoint(publicUrl: string): string {
  return publicUrl.replace(/\/+$/, '').replace(/\/mcp$/, '')
}

function readTls({ TLS_CERT: certFile, TLS_KEY: keyFile }: Settings, log: Log) {
  if (certFile === '' && keyFile === '') return undefined
  if (certFile === '' || keyFile === '') throw new UsageError('set both TLS_CERT and TLS_KEY, or neither')
  return openTls({ certFile, keyFile, onError: (failure) => log.warn(failure.message) })
}

function readOAuth(settings: Settings, log: Log): OAuth | undefined {
  const { OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience, OAUTH_JWKS: jwksUri, PUBLIC_URL: publicUrl } = settings
  if (issuer === '') return undefined
  if (publicUrl === '')
    throw new UsageError('OAUTH_ISSUER requires PUBLIC_URL: access tokens are issued for an address')
  const resource = `${stripEndpoint(publicUrl)}/mcp`
  const scopes = splitList(settings.OAUTH_SCOPES)
  return createOAuth({ issuer, audience, jwksUri, scopes, resource, warn: (message) => log.warn(message) })
}

async function openAccessLog(destination: string, log: Log): Promise<AccessLog | undefined> {
  if (destination === 'off') return undefined
  if (destination === 'stderr') return createAccessLog(createErrorWriter((dropped) => `{"droppedWrites":${dropped}}\n`))
  const { openLogFile } = await import('../platform/log-file.js')
  const file = openLogFile(destination, (error) =>
    log.warn(`cannot write the access log ${destination}: ${String(error)}`),
  )
  return createAccessLog((text) => file.write(text))
}

function splitList(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '')
}

export async function listen(server: Server, settings: HttpSettings) {
  try {
    return await listenHttp(server, settings)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new UsageError(`port ${settings.port} is in use; choose another with --port`)
    }
    throw new Failure(`cannot listen on ${settings.host}:${settings.port}: ${reasonOf(error)}`)
  }
}

export function readPort(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined
  const port = /^\d{1,5}$/.test(flag) ? Number(flag) : Number.NaN
  if (port <= 65_535) return port
  throw new UsageError(`--port must be a number from 0 to 65535, got ${flag}`)
}
