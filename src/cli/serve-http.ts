// Runs the HTTP server until told to stop, and tells the person what to do next. Who may call is settled before
// anything listens: a shell on a port is served to nobody by accident.

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
import { confineHttp } from './confine-http.js'
import { launch, typedName } from './self.js'
import { formatServeGreeting } from './serve-greeting.js'
import { nextSignal, outputColumns, print } from './terminal.js'
import { UsageError } from './usage-error.js'

export interface Serving {
  readonly server: Server
  /** Where people look at what it does. */
  openBoards(): Promise<Boards>
}

export async function serveHttp(
  createServing: (confinement: Confinement) => Serving,
  config: Config,
  flags: Flags,
  log: Log,
): Promise<void> {
  // Before anything is printed: who reads the greeting may signal at once.
  const stopped = nextSignal()
  const plan = await readPlan(config.settings, flags, log)
  const exposure = {
    host: plan.http.host,
    isLoopback: isLoopback(plan.http.host),
    isWaived: flags['no-sandbox'] ?? false,
  }
  const confinement = await confineHttp(config, exposure, log)
  const serving = createServing(confinement)
  const boards = await serving.openBoards()
  const board = { boards, ...boardAddress(config, plan) }
  const listener = await listen(serving.server, { ...plan.http, board })
  const scheme = plan.http.tls ? 'https' : 'http'
  const { host } = plan.http
  const here = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${listener.port}/mcp`
  // Made only now: a start that fails must not use up the one time it is shown.
  const firstToken = plan.makeFirst?.create({ name: 'first', user: osUser() }).token
  void afterStart(config, log, confinement)
  const greeting = formatServeGreeting({
    localUrl: here,
    publicUrl: plan.publicUrl === '' ? here : `${baseOf(plan.publicUrl)}/mcp`,
    requiresToken: !plan.open,
    newToken: firstToken,
    sandbox: confinement.level,
    launch: launch(),
    program: typedName(config.childEnv.PATH),
    columns: outputColumns(),
  })
  await print(greeting)
  await stopped
  await listener.close()
  await boards.close()
}

function boardAddress({ partsDir }: Config, { http, publicUrl, open }: Plan) {
  const publicOrigin = publicUrl === '' ? '' : new URL(publicUrl).origin
  const login: 'open' | 'server' = open ? 'open' : 'server'
  return { pageFolder: join(partsDir, 'page'), isSecure: http.tls !== undefined, publicOrigin, login }
}

interface Plan {
  readonly http: HttpSettings
  readonly publicUrl: string
  readonly open: boolean
  /** Where to make the first token, if there is none yet. */
  readonly makeFirst: TokenFile | undefined
}

async function readPlan(settings: Settings, flags: Flags, log: Log): Promise<Plan> {
  const host = flags.host ?? settings.HTTP_HOST
  const open = flags['no-auth'] ?? false
  const { PUBLIC_URL: publicUrl, HTTP_TOKEN: fixedToken } = settings
  if (open && !isLoopback(host)) throw new UsageError(`--no-auth is for loopback addresses only, not for ${host}`)
  const policy = createPolicy({ listenHost: host, publicUrl, allowedHosts: words(settings.ALLOWED_HOSTS) })
  if (open && ![...policy.hosts].every(isLoopback)) {
    throw new UsageError('--no-auth is for this machine only: take PUBLIC_URL and ALLOWED_HOSTS away, or use a token')
  }
  const tls = readTls(settings, log)
  if (!isLoopback(host) && !tls && !flags['behind-proxy']) {
    throw new UsageError(
      `${host} can be reached from outside, where tokens must not travel in the clear: set TLS_CERT and TLS_KEY, ` +
        `or say --behind-proxy if a proxy in front of it speaks HTTPS`,
    )
  }
  const oauth = readOAuth(settings, log)
  const tokens = open ? undefined : openTokenFile(join(stateDirOf(settings), 'tokens.json'))
  if (tokens) reportProblems(tokens, log)
  const isClosed = tokens !== undefined && oauth === undefined && fixedToken === '' && tokens.list().length === 0
  if (isClosed && !isLoopback(host)) {
    throw new UsageError('nobody could get in yet: make a token with `scorpiox-code token create`, then start again')
  }
  const { RATE_LIMIT: rate, RATE_BURST: burst, MAX_OPEN_PER_USER: maxStreams } = settings
  const owner = osUser()
  const http: HttpSettings = {
    host,
    port: readPort(flags.port) ?? settings.HTTP_PORT,
    policy,
    authenticator: createAuthenticator({
      open,
      keyHeader: settings.HTTP_KEY_HEADER,
      fixedTokens: [fixedToken],
      owner,
      tokens,
      oauth,
    }),
    limits: createLimits({ rate, burst, maxStreams }),
    maxBodyBytes: settings.MAX_LINE_BYTES,
    basePath: publicUrl === '' ? '' : new URL(baseOf(publicUrl)).pathname.replace(/\/$/, ''),
    maxConnections: settings.MAX_CONNECTIONS,
    tls,
    accessLog: await openAccessLog(settings.ACCESS_LOG, log),
  }
  return { http, publicUrl, open, makeFirst: isClosed ? tokens : undefined }
}

/** A file of tokens that cannot be read lets nobody in: whoever runs the server should know why. */
function reportProblems(tokens: TokenFile, log: Log): void {
  let told: string | undefined
  const look = (): void => {
    const problem = tokens.problem()
    if (problem !== undefined && problem !== told) log.warn(problem)
    told = problem
  }
  setInterval(look, 5000).unref()
}

/** The address without the endpoint, which people may or may not have written down. */
function baseOf(publicUrl: string): string {
  return publicUrl.replace(/\/+$/, '').replace(/\/mcp$/, '')
}

function readTls({ TLS_CERT: certFile, TLS_KEY: keyFile }: Settings, log: Log) {
  if (certFile === '' && keyFile === '') return undefined
  if (certFile === '' || keyFile === '') throw new UsageError('TLS_CERT and TLS_KEY must be set both, or neither')
  return openTls({ certFile, keyFile, onError: (failure) => log.warn(failure.message) })
}

function readOAuth(settings: Settings, log: Log): OAuth | undefined {
  const { OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience, OAUTH_JWKS: jwksUri, PUBLIC_URL: publicUrl } = settings
  if (issuer === '') return undefined
  if (publicUrl === '') throw new UsageError('OAUTH_ISSUER needs PUBLIC_URL: access tokens are made for an address')
  const resource = `${baseOf(publicUrl)}/mcp`
  const scopes = words(settings.OAUTH_SCOPES)
  return createOAuth({ issuer, audience, jwksUri, scopes, resource, warn: (message) => log.warn(message) })
}

async function openAccessLog(where: string, log: Log): Promise<AccessLog | undefined> {
  if (where === 'off') return undefined
  if (where === 'stderr') return createAccessLog(createErrorWriter((lost) => `{"droppedWrites":${lost}}\n`))
  const { openLogFile } = await import('../platform/log-file.js')
  const file = openLogFile(where, (error) => log.warn(`the access log ${where}: ${String(error)}`))
  return createAccessLog((text) => file.write(text))
}

function words(text: string): readonly string[] {
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
