// `scorpiox-code serve --http`: reads the options, checks authentication, TLS and the sandbox, and listens until a stop
// signal. All checks run before the port is opened, so that a wrong option never exposes a shell. `ui` uses its
// listener and port option.

import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { createAuthenticator } from '@scorpiox/mcp/http/authenticator'
import { createHostPolicy, isLoopback } from '@scorpiox/mcp/http/host-policy'
import { createRateLimits } from '@scorpiox/mcp/http/rate-limits'
import { createStderrWriter, type Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Settings } from '@scorpiox/server/config/options'
import { getStateDir, splitList } from '@scorpiox/server/config/paths'
import { listWritableRoots } from '@scorpiox/server/config/writable-roots'
import { runStartupTasks } from '@scorpiox/server/features/shell/lazy'
import { type CommandSandbox, createCommandSandbox, NO_SANDBOX } from '@scorpiox/server/sandbox/command-sandbox'
import { UnsafeSandboxFailure } from '@scorpiox/server/sandbox/sandbox-level'
import { getOutputColumns, print, UsageError, waitForStopSignal } from '@scorpiox/server/terminal/terminal'
import type { CommandFlags } from '../arguments.js'
import { type AccessLog, createAccessLog } from '../http/access-log.js'
import { createAccessTokenVerifier, type OAuthVerifier } from '../http/oauth.js'
import { type ProgramHttpOptions, startProgramHttp } from '../http/start-http.js'
import { openCertificateFiles } from '../http/tls-certificate.js'
import { type AuthTokenFile, openTokenFile } from '../http/token-file.js'
import { commandAsTyped, currentLaunch } from '../program-info.js'
import type { CommandDeps } from './commands.js'
import { formatServeGreeting } from './serve-greeting.js'

export async function runServeHttpCommand(
  createServer: CommandDeps['createHttpServer'],
  config: Config,
  flags: CommandFlags,
  log: Log,
): Promise<void> {
  // Before the greeting is printed: its reader may send a signal at once.
  const stopped = waitForStopSignal()
  const options = await readServeOptions(config, flags, log)
  const exposure: HttpExposure = {
    host: options.http.host,
    isLoopback: isLoopback(options.http.host),
    isSandboxDisabled: flags['no-sandbox'] ?? false,
  }
  const commandSandbox = await createHttpSandbox(config, exposure, log)
  const { server, openConsoles } = createServer(commandSandbox, toolsWithoutAuth(options, commandSandbox))
  const consoles = await openConsoles()
  const console = { consoles, ...consoleAddress(config, options) }
  const listener = await openHttpListener(server, { ...options.http, console })
  const scheme = options.http.certificates ? 'https' : 'http'
  const { host } = options.http
  const localUrl = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${listener.port}/mcp`
  // Created after listening: the token is printed only once, and a failed start must not create it.
  const firstToken = options.firstTokenStore?.create({ name: 'first', user: getOsUser() }).token
  void runStartupTasks(config, log, commandSandbox)
  const greeting = formatServeGreeting({
    localUrl,
    publicUrl: options.publicUrl === '' ? localUrl : `${stripEndpoint(options.publicUrl)}/mcp`,
    requiresToken: !options.isOpen,
    consoleKey: options.consoleKey,
    newToken: firstToken,
    sandbox: commandSandbox.level,
    launch: currentLaunch(),
    program: commandAsTyped(config.childEnv.PATH),
    columns: getOutputColumns(),
  })
  await print(greeting)
  await stopped
  await listener.close()
  await consoles.close()
}

/**
 * Tools that are off because authentication is: a command in plan mode could end it as any other caller can, unless
 * commands have no network.
 */
function toolsWithoutAuth({ isOpen }: HttpServeOptions, { level }: CommandSandbox): ReadonlyMap<string, string> {
  const reason =
    'PlanMode is not available without authentication (--no-auth), because a command could end it over the network: ' +
    'start the server with a token, or with SANDBOX=strict'
  return new Map(isOpen && level !== 'strict' ? [['PlanMode', reason]] : [])
}

function consoleAddress({ partsDir }: Config, { http, publicUrl, isOpen }: HttpServeOptions) {
  const publicOrigin = publicUrl === '' ? '' : new URL(publicUrl).origin
  const login = isOpen ? ('key' as const) : ('server' as const)
  return { pageFolder: join(partsDir, 'page'), isSecure: http.certificates !== undefined, publicOrigin, login }
}

interface HttpServeOptions {
  readonly http: ProgramHttpOptions
  readonly publicUrl: string
  /** Whether authentication is off. */
  readonly isOpen: boolean
  /** The credential of the console if authentication is off. */
  readonly consoleKey: string | undefined
  /** The file in which to create the first token; undefined if one exists. */
  readonly firstTokenStore: AuthTokenFile | undefined
}

async function readServeOptions(config: Config, flags: CommandFlags, log: Log): Promise<HttpServeOptions> {
  const { settings } = config
  const host = flags.host ?? settings.HTTP_HOST
  const isOpen = flags['no-auth'] ?? false
  const { PUBLIC_URL: publicUrl, HTTP_TOKEN: fixedToken } = settings
  if (isOpen && !isLoopback(host)) throw new UsageError(`--no-auth is for loopback addresses only, not for ${host}`)
  const hostPolicy = createHostPolicy({ listenHost: host, publicUrl, allowedHosts: splitList(settings.ALLOWED_HOSTS) })
  if (isOpen && ![...hostPolicy.hosts].every(isLoopback)) {
    throw new UsageError('--no-auth is for this machine only: remove PUBLIC_URL and ALLOWED_HOSTS, or use a token')
  }
  const certificates = readTls(settings, log)
  if (!isLoopback(host) && !certificates && !flags['behind-proxy']) {
    throw new UsageError(
      `${host} is reachable from outside, and tokens must not be sent unencrypted: set TLS_CERT and TLS_KEY, ` +
        `or add --behind-proxy if a proxy in front of it provides HTTPS`,
    )
  }
  const oauth = readOAuth(settings, log)
  const tokens = isOpen ? undefined : openTokenFile(join(getStateDir(settings), 'tokens.json'))
  if (tokens) logTokenFileProblems(tokens, log)
  const hasNoCredentials =
    tokens !== undefined && oauth === undefined && fixedToken === '' && tokens.list().length === 0
  if (hasNoCredentials && !isLoopback(host)) {
    throw new UsageError('no credentials exist: create a token with `scorpiox-code token create`, then start again')
  }
  const { RATE_LIMIT: rate, RATE_BURST: burst, MAX_OPEN_PER_USER: maxStreams } = settings
  const defaultUser = getOsUser()
  const consoleKey = isOpen ? randomBytes(32).toString('base64url') : undefined
  const http: ProgramHttpOptions = {
    host,
    port: parsePort(flags.port) ?? settings.HTTP_PORT,
    hostPolicy,
    authenticator: createAuthenticator({
      allowAnonymous: isOpen,
      keyHeader: settings.HTTP_KEY_HEADER,
      fixedTokens: [fixedToken, consoleKey ?? ''],
      defaultUser,
      tokens,
      oauth,
    }),
    rateLimits: createRateLimits({ rate, burst, maxStreams }),
    maxBodyBytes: settings.MAX_LINE_BYTES,
    basePath: publicUrl === '' ? '' : new URL(stripEndpoint(publicUrl)).pathname.replace(/\/$/, ''),
    maxConnections: settings.MAX_CONNECTIONS,
    certificates,
    accessLog: await openAccessLog(config, log),
  }
  return { http, publicUrl, isOpen, consoleKey, firstTokenStore: hasNoCredentials ? tokens : undefined }
}

/** Logs why the token file cannot be read: all callers are rejected as long as it cannot. */
function logTokenFileProblems(tokens: AuthTokenFile, log: Log): void {
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
  return publicUrl.replace(/(?<!\/)\/+$/, '').replace(/\/mcp$/, '')
}

function readTls({ TLS_CERT: certFile, TLS_KEY: keyFile }: Settings, log: Log) {
  if (certFile === '' && keyFile === '') return undefined
  if (certFile === '' || keyFile === '') throw new UsageError('set both TLS_CERT and TLS_KEY, or neither')
  return openCertificateFiles({ certFile, keyFile, onError: (failure) => log.warn(failure.message) })
}

function readOAuth(settings: Settings, log: Log): OAuthVerifier | undefined {
  const { OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience, OAUTH_JWKS: jwksUri, PUBLIC_URL: publicUrl } = settings
  if (issuer === '') return undefined
  if (publicUrl === '')
    throw new UsageError('OAUTH_ISSUER requires PUBLIC_URL: access tokens are issued for an address')
  const resource = `${stripEndpoint(publicUrl)}/mcp`
  const scopes = splitList(settings.OAUTH_SCOPES)
  return createAccessTokenVerifier({
    issuer,
    audience,
    jwksUri,
    scopes,
    resource,
    warn: (message) => log.warn(message),
  })
}

async function openAccessLog(config: Config, log: Log): Promise<AccessLog | undefined> {
  const { ACCESS_LOG: destination, SANDBOX: sandbox } = config.settings
  if (destination === 'off') return undefined
  if (destination === 'stderr')
    return createAccessLog(createStderrWriter((dropped) => `{"droppedWrites":${dropped}}\n`))
  // A command could put a link there, and choose the file that the log is appended to.
  if (sandbox !== 'off' && listWritableRoots(config).contains(resolve(destination)))
    throw new UsageError(
      `ACCESS_LOG is ${destination}, in a folder that commands can write to; name a file outside of the project and of SANDBOX_WRITE`,
    )
  const { openLogFile } = await import('../http/log-file.js')
  const file = openLogFile(destination, (error) =>
    log.warn(`cannot write the access log ${destination}: ${String(error)}`),
  )
  return createAccessLog((text) => file.write(text))
}

export async function openHttpListener(server: McpServer, settings: ProgramHttpOptions) {
  try {
    return await startProgramHttp(server, settings)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new UsageError(`port ${settings.port} is in use; choose another with --port`)
    }
    throw new Failure(`cannot listen on ${settings.host}:${settings.port}: ${errorMessage(error)}`)
  }
}

export function parsePort(flag: string | undefined): number | undefined {
  if (flag === undefined) return undefined
  const port = /^\d{1,5}$/.test(flag) ? Number(flag) : Number.NaN
  if (port <= 65_535) return port
  throw new UsageError(`--port must be a number from 0 to 65535, got ${flag}`)
}

export interface HttpExposure {
  readonly host: string
  readonly isLoopback: boolean
  /** Whether --no-sandbox was given. */
  readonly isSandboxDisabled: boolean
}

/**
 * Chooses the sandbox for commands of HTTP callers. On loopback the sandbox is used if it is available; on other
 * addresses it is required, unless --no-sandbox disables it.
 */
async function createHttpSandbox(config: Config, exposure: HttpExposure, log: Log): Promise<CommandSandbox> {
  const { SANDBOX: setting } = config.settings
  const { host, isLoopback: isLocal, isSandboxDisabled } = exposure
  const advice = 'Add --no-sandbox to let callers do everything that you can do'
  if (isSandboxDisabled || (setting === 'off' && isLocal)) return NO_SANDBOX
  if (setting === 'off') throw new UsageError(`${host} is reachable from outside, and SANDBOX is off. ${advice}`)
  const commandSandbox = createCommandSandbox(config, setting === 'auto' ? 'workspace' : setting)
  try {
    await commandSandbox.verify()
    return commandSandbox
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (!isLocal) throw new UsageError(`${host} is reachable from outside. ${error.message} ${advice}`)
    if (error instanceof UnsafeSandboxFailure) throw new UsageError(`${error.message} ${advice}`)
    if (setting !== 'auto') throw error
    log.warn(`commands run without a sandbox: ${error.message}`)
    return NO_SANDBOX
  }
}
