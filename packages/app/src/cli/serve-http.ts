// `scorpiox-code serve --http`: reads the options, checks authentication, TLS and the sandbox, and listens until a stop
// signal. All checks run before the port is opened, so that a wrong option never exposes a shell; on loopback that of
// the sandbox runs after it, and commands wait for it. `ui` uses its listener and port option. Called by
// cli/commands.ts. What most servers do not need is loaded if the settings ask for it. Reads files, opens the port and
// the log files. Sets timers.

import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { createAuthenticator, parseKeyHeader, type TokenLookup } from '@scorpiox/mcp/http/authenticator'
import { createHostPolicy, type HostPolicyNames, isLoopback } from '@scorpiox/mcp/http/host-policy'
import type { HttpServerOptions } from '@scorpiox/mcp/http/http-server'
import { createRateLimits } from '@scorpiox/mcp/http/rate-limits'
import { createStderrWriter, type Log } from '@scorpiox/mcp/log'
import { getOsUser } from '@scorpiox/mcp/os'
import type { McpServer } from '@scorpiox/mcp/server/mcp-server'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Settings } from '@scorpiox/server/config/options'
import { getMachineName, getStateDir, splitList } from '@scorpiox/server/config/paths'
import { parseWorkspaceRoot, type WorkspaceRoot } from '@scorpiox/server/config/workspace-root'
import type { SandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { getOutputColumns, print, UsageError, waitForStopSignal } from '@scorpiox/server/terminal/terminal'
import type { CommandFlags } from '../arguments.js'
import { type AccessLog, createAccessLog } from '../http/access-log.js'
import type { OAuthVerifier } from '../http/oauth.js'
import { type ProgramHttpOptions, startProgramHttp } from '../http/start-http.js'
import { type AuthTokenFile, openTokenFile } from '../http/token-file.js'
import type { AuthTokenStore } from '../http/token-record.js'
import { commandAsTyped, currentLaunch } from '../program-info.js'
import type { CommandDeps } from './commands.js'
import { formatServeAddress, formatServeGuide, type ServeGreeting } from './serve-greeting.js'
import { type HttpExposure, openServedProjects, type ServedProjects } from './served-projects.js'

export async function runServeHttpCommand(
  createServer: CommandDeps['createHttpServer'],
  given: Config,
  flags: CommandFlags,
  log: Log,
): Promise<void> {
  // Before the greeting is printed: its reader may send a signal at once.
  const stopped = waitForStopSignal()
  const options = await readServeOptions(given, flags, log)
  const config = { ...given, settings: { ...given.settings, HTTP_HOST: options.http.host } }
  const exposure: HttpExposure = {
    host: options.http.host,
    isLoopback: isLoopback(options.http.host),
    isSandboxDisabled: flags['no-sandbox'] ?? false,
  }
  const joined = await joinIfConfigured(config, options.http, log)
  if (joined && !hasTokenFile(config.settings, flags)) options.useTokens(joined.stores.tokens)
  const membership = joined?.membership
  const served = await openServedProjects({ ...options, config, log, exposure, createServer, membership })
  try {
    await serveUntil(stopped, { config, flags, options, joined, served })
  } finally {
    // The shell closes it too, but opens only with the first command; the check at the start has already used it.
    await served.closeSandbox()
  }
}

interface HttpRun {
  readonly config: Config
  readonly flags: CommandFlags
  readonly options: HttpServeOptions
  readonly joined: Awaited<ReturnType<typeof joinIfConfigured>>
  readonly served: ServedProjects
}

async function serveUntil(stopped: Promise<unknown>, run: HttpRun): Promise<void> {
  const { config, flags, options, joined, served } = run
  const firstTokenStore =
    joined && !hasTokenFile(config.settings, flags)
      ? await findFirstTokenStore(joined.stores.tokens, options.needsToken, options.http.host)
      : options.firstTokenStore
  const console = { consoleFor: served.consoleFor, ...consoleAddress(config, options) }
  const machine = joined && {
    name: joined.membership.name,
    placement: joined.placement,
    sessionStore: joined.stores.sessionStore,
  }
  const { serverFor } = served
  const listener = await openHttpListener(served.server, { ...options.http, serverFor, console, machine })
  joined?.watch(listener.users, served.endJobs)
  joined?.stores.tokens.onRevocation(() => listener.endUnauthorized())
  try {
    const started = served.start(listener)
    // `greet` awaits it, but prints first.
    started.catch(() => undefined)
    await greet(run, listener.port, firstTokenStore, started)
    if (flags.worker !== undefined) process.send?.('ready')
    await Promise.race([stopped, ...(joined ? [joined.drainRequested] : [])])
    await joined?.drain(listener.users, createStopSignal())
  } finally {
    await listener.close()
    await served.close()
    joined?.stores.close()
    await joined?.close()
  }
}

/** Prints the address at once, and the rest when the sandbox is verified. Rejects if it does not work. */
async function greet(
  { config, flags, options }: HttpRun,
  port: number,
  firstTokenStore: AuthTokenStore | undefined,
  started: Promise<SandboxLevel>,
): Promise<void> {
  // Of several processes, the first one prints.
  if (Number(flags.worker ?? 1) > 1) return void (await started)
  // A failed start must not create the token, because it is printed only once.
  if (firstTokenStore) await started
  const { host, certificates } = options.http
  const scheme = certificates ? 'https' : 'http'
  const localUrl = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`
  const greeting: ServeGreeting = {
    localUrl,
    publicUrl: options.publicUrl === '' ? localUrl : `${stripEndpoint(options.publicUrl)}/mcp`,
    requiresToken: !options.isOpen,
    consoleKey: options.consoleKey,
    newToken: (await firstTokenStore?.create({ name: 'first', user: getOsUser() }))?.token,
    launch: currentLaunch(),
    program: commandAsTyped(config.childEnv.PATH),
    columns: getOutputColumns(),
  }
  await print(formatServeAddress(greeting))
  await print(formatServeGuide(greeting, await started))
}

/** One of several machines, if the settings say so. */
async function joinIfConfigured(config: Config, http: ProgramHttpOptions, log: Log) {
  const { rateLimits, maxBodyBytes, ownPort } = http
  if (!isMachine(config.settings)) return undefined
  const [{ joinMachines }, { openSharedStores }] = await Promise.all([
    import('../machines/join-machines.js'),
    import('../machines/shared-stores.js'),
  ])
  const movesConnections = ownPort !== undefined
  const joined = await joinMachines({ config, rateLimits, maxBodyBytes, log, movesConnections })
  return { ...joined, stores: openSharedStores(joined.membership, joined.project) }
}

/** Where to create the first token; undefined if there is another credential. */
async function findFirstTokenStore(
  store: AuthTokenStore,
  needsToken: boolean,
  host: string,
): Promise<AuthTokenStore | undefined> {
  if (!needsToken || (await store.list()).length > 0) return undefined
  if (isLoopback(host)) return store
  throw new UsageError('no credentials exist: create a token with `scorpiox-code token create`, then start again')
}

function isMachine({ DATABASE_URL: database, ADVERTISE_URL: address }: Settings): boolean {
  if (address !== '' && database === '') {
    throw new UsageError('ADVERTISE_URL needs DATABASE_URL: machines find each other in PostgreSQL')
  }
  return address !== ''
}

/**
 * Whether named tokens are in a file: not if several machines share them. Processes of one machine share the file, which
 * `token` changes as long as ADVERTISE_URL is not set.
 */
function hasTokenFile(settings: Settings, { worker }: CommandFlags): boolean {
  return !isMachine(settings) || (worker !== undefined && isLoopback(new URL(settings.ADVERTISE_URL).hostname))
}

/** Aborts at the next stop signal. */
function createStopSignal(): AbortSignal {
  const stop = new AbortController()
  void waitForStopSignal().then(() => stop.abort())
  return stop.signal
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
  /** The file in which to create the first token; undefined if one exists, and for one of several machines. */
  readonly firstTokenStore: AuthTokenStore | undefined
  /** Whether named tokens are the only credentials. */
  readonly needsToken: boolean
  /** Sets the tokens of all machines. */
  readonly useTokens: (tokens: TokenLookup) => void
  /** Undefined if all callers have one project. */
  readonly workspaceRoot: WorkspaceRoot | undefined
}

/** What messages about hosts name. */
export const HOST_SETTINGS: HostPolicyNames = {
  listenHost: 'HTTP_HOST',
  publicUrl: 'PUBLIC_URL',
  allowedHosts: 'ALLOWED_HOSTS',
}

async function readServeOptions(config: Config, flags: CommandFlags, log: Log): Promise<HttpServeOptions> {
  const { settings } = config
  const host = flags.host ?? settings.HTTP_HOST
  const isOpen = flags['no-auth'] ?? false
  const { PUBLIC_URL: publicUrl, HTTP_TOKEN: fixedToken } = settings
  if (isOpen && !isLoopback(host)) throw new UsageError(`--no-auth is for loopback addresses only, not for ${host}`)
  const hostPolicy = createHostPolicy({
    listenHost: host,
    publicUrl,
    allowedHosts: splitList(settings.ALLOWED_HOSTS),
    names: HOST_SETTINGS,
  })
  if (isOpen && ![...hostPolicy.hosts].every(isLoopback)) {
    throw new UsageError('--no-auth is for this machine only: remove PUBLIC_URL and ALLOWED_HOSTS, or use a token')
  }
  const certificates = await readTls(settings, log)
  if (!isLoopback(host) && !certificates && !flags['behind-proxy']) {
    throw new UsageError(
      `${host} is reachable from outside, and tokens must not be sent unencrypted: set TLS_CERT and TLS_KEY, ` +
        `or add --behind-proxy if a proxy in front of it provides HTTPS`,
    )
  }
  const workspaceRoot = readWorkspaceRoot(settings)
  const oauth = await readOAuth(settings, log, workspaceRoot)
  const tokens =
    isOpen || !hasTokenFile(settings, flags) ? undefined : openTokenFile(join(getStateDir(settings), 'tokens.json'))
  if (tokens) logTokenFileProblems(tokens, log)
  const needsToken = !isOpen && oauth === undefined && fixedToken === ''
  const firstTokenStore = tokens && (await findFirstTokenStore(tokens, needsToken, host))
  let lookup: TokenLookup | undefined = tokens
  const { RATE_LIMIT: rate, RATE_BURST: burst, MAX_OPEN_PER_USER: maxStreams } = settings
  const defaultUser = getOsUser()
  const consoleKey = isOpen ? randomBytes(32).toString('base64url') : undefined
  const http: ProgramHttpOptions = {
    host,
    port: parsePort(flags.port) ?? settings.HTTP_PORT,
    hostPolicy,
    authenticator: createAuthenticator({
      allowAnonymous: isOpen,
      keyHeader: readKeyHeader(settings),
      fixedTokens: [fixedToken, consoleKey ?? ''],
      defaultUser,
      // The tokens of several machines are known when this one has joined, which is before it listens.
      tokens: isOpen ? undefined : { find: (token) => lookup?.find(token) },
      oauth,
    }),
    rateLimits: createRateLimits({ rate, burst, maxStreams }),
    maxBodyBytes: settings.MAX_LINE_BYTES,
    basePath: publicUrl === '' ? '' : new URL(stripEndpoint(publicUrl)).pathname.replace(/\/$/, ''),
    maxConnections: settings.MAX_CONNECTIONS,
    ownPort: flags.worker === undefined ? undefined : ownPortOf(settings, host),
    certificates,
    accessLog: await openAccessLog(config, log),
  }
  return {
    http,
    publicUrl,
    isOpen,
    consoleKey,
    firstTokenStore,
    needsToken,
    useTokens: (shared) => void (lookup = shared),
    workspaceRoot,
  }
}

function readWorkspaceRoot(settings: Settings): WorkspaceRoot | undefined {
  const root = parseWorkspaceRoot(settings.WORKSPACE_ROOT)
  if (root?.of !== 'tenant') return root
  if (settings.OAUTH_ISSUER === '')
    throw new UsageError(
      '{tenant} in WORKSPACE_ROOT is a claim of OAuth access tokens: set OAUTH_ISSUER, or use {user}',
    )
  if (settings.ADVERTISE_URL !== '' && settings.WORKSPACE_FILES === 'local')
    throw new UsageError(
      'WORKSPACE_ROOT with {tenant} on several machines needs WORKSPACE_FILES=shared, because different machines may serve ' +
        'the users of a tenant',
    )
  return root
}

/** Where the other processes reach this one; the port of all of them may lead to any. */
function ownPortOf({ ADVERTISE_URL: url }: Settings, host: string): HttpServerOptions['ownPort'] {
  const { hostname, port, protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  return { host: isLoopback(hostname) ? hostname : host, port: Number(port), isSecure }
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

async function readTls({ TLS_CERT: certFile, TLS_KEY: keyFile }: Settings, log: Log) {
  if (certFile === '' && keyFile === '') return undefined
  if (certFile === '' || keyFile === '') throw new UsageError('set both TLS_CERT and TLS_KEY, or neither')
  const { openCertificateFiles } = await import('../http/tls-certificate.js')
  return openCertificateFiles({ certFile, keyFile, onError: (failure) => log.warn(failure.message) })
}

/** Names the setting, which the library does not know. */
function readKeyHeader({ HTTP_KEY_HEADER: name }: Settings): string {
  try {
    return parseKeyHeader(name)
  } catch (error) {
    throw error instanceof Failure ? new Failure(`HTTP_KEY_HEADER: ${error.message}`) : error
  }
}

async function readOAuth(
  settings: Settings,
  log: Log,
  root: WorkspaceRoot | undefined,
): Promise<OAuthVerifier | undefined> {
  const { OAUTH_ISSUER: issuer, OAUTH_AUDIENCE: audience, OAUTH_JWKS: jwksUri, PUBLIC_URL: publicUrl } = settings
  if (issuer === '') return undefined
  if (publicUrl === '')
    throw new UsageError('OAUTH_ISSUER requires PUBLIC_URL: access tokens are issued for an address')
  const resource = `${stripEndpoint(publicUrl)}/mcp`
  const scopes = splitList(settings.OAUTH_SCOPES)
  const { createAccessTokenVerifier } = await import('../http/oauth.js')
  return createAccessTokenVerifier({
    issuer,
    audience,
    jwksUri,
    scopes,
    resource,
    tenantClaim: root?.of === 'tenant' ? settings.WORKSPACE_TENANT_CLAIM : undefined,
    warn: (message) => log.warn(message),
  })
}

async function openAccessLog(config: Config, log: Log): Promise<AccessLog | undefined> {
  const { ACCESS_LOG: destination, SANDBOX: sandbox } = config.settings
  if (destination === 'off') return undefined
  const machine = isMachine(config.settings) ? getMachineName(config.settings) : undefined
  if (destination === 'stderr')
    return createAccessLog(
      createStderrWriter((dropped) => `{"droppedWrites":${dropped}}\n`),
      machine,
    )
  const { listWritableRoots } = await import('@scorpiox/server/config/writable-roots')
  // A command could put a link there, and choose the file that the log is appended to.
  if (sandbox !== 'off' && listWritableRoots(config).contains(resolve(destination)))
    throw new UsageError(
      `ACCESS_LOG is ${destination}, in a folder that commands can write to; name a file outside the project and SANDBOX_WRITE`,
    )
  const { openLogFile } = await import('../http/log-file.js')
  const file = openLogFile(destination, (error) =>
    log.warn(`cannot write the access log ${destination}: ${String(error)}`),
  )
  return createAccessLog((text) => file.write(text), machine)
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
