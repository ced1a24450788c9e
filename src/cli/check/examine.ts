// The examination: what is sent, in which order, and where it must end early. Judging is done elsewhere, and nothing
// is ever run on the server but a tool the person named.

import { isObject, type JsonObject } from '../../lib/json.js'
import { VERSION } from '../../lib/version.js'
import type { Probed } from '../../platform/probe.js'
import { MODERN_REVISION } from '../../protocol/revision.js'
import { isLoopback } from '../../transport/http/gate.js'
import { judgeAddress, judgeCertificate, judgeGet, judgeOrigin } from './doors.js'
import { judgeStranger, judgeWrongCredentials, refusalIn } from './doors.js'
import { createEndpoint, type Endpoint } from './endpoint.js'
import { judgeInitialized, judgeInitializedWithId, judgeLegacy, judgeModern } from './manners.js'
import { judgePace, judgeScanner } from './manners.js'
import { readAnswer, type Reading } from './message.js'
import { judgeCall, judgeFrames, judgeInitialize, judgeList, judgePost } from './shapes.js'
import { judgeTexts, judgeUnknownTool, PAGE_REVISION, toolsOf } from './shapes.js'
import { describe, failed, quote, skipped, type Verdict } from './verdict.js'

// ArmorIQ's SDK waits so long for a tool.
const TOOL_MS = 30_000
const NO_SUCH_TOOL = 'scorpiox_check_no_such_tool'

export interface Examination {
  readonly url: URL
  readonly token: string | undefined
  readonly keyHeader: string | undefined
  readonly tool: string | undefined
  readonly args: JsonObject | undefined
  /** How long to wait for each answer but the tool's. */
  readonly timeoutMs?: number | undefined
}

export async function examine(given: Examination): Promise<readonly Verdict[]> {
  const { url, token } = given
  const isLocal = isLoopback(url.hostname)
  // A secret goes only to who proved to be the host; without one there is nothing to lose by looking.
  const lookAround = createEndpoint({ ...given, token: undefined, trustAnybody: true })
  const stranger = await lookAround.ask({ message: INITIALIZE })
  const certificate = judgeCertificate(stranger, url)
  const outside = [judgeAddress(url, isLocal, stranger), certificate]
  if (stranger.kind === 'unanswered') return [...outside, judgePost(readAnswer(stranger, 1))]
  const broken = await lookAround.ask({ message: '{' })
  outside.push(judgeStranger(stranger, broken, isLocal))
  await lookAround.leave()
  const trustAnybody = isLocal || token === undefined
  if (certificate.state === 'failed' && !trustAnybody) return [...outside, skipped('the rest', DISTRUST, DISTRUST_FIX)]
  const endpoint = createEndpoint({ ...given, trustAnybody })
  const verdicts = await examineInside(endpoint, given)
  await endpoint.leave()
  return [...outside, ...verdicts]
}

const DISTRUST = 'the token is not sent to a server that cannot prove who it is'
const DISTRUST_FIX = 'Mend the certificate first.'

async function examineInside(endpoint: Endpoint, given: Examination): Promise<readonly Verdict[]> {
  const first = await endpoint.ask({ message: INITIALIZE })
  if (refusalIn(first)) return [refusedVerdict(first, given.token), skipped('the rest', 'it needs credentials')]
  const initialize = readAnswer(first, 1)
  const post = judgePost(initialize)
  if (post.state === 'failed') return [post, skipped('the rest', 'initialize was not answered')]
  return [
    ...(given.token === undefined
      ? [skipped('wrong credentials', 'no token was given')]
      : [await wrongToken(endpoint)]),
    judgeOrigin(await endpoint.ask({ message: INITIALIZE, headers: { origin: 'https://evil.example' } })),
    judgeGet(await endpoint.ask({})),
    post,
    ...(await examineAsAgent(endpoint, given, { initialize, session: sessionOf(first) })),
    await examineAsScanner(endpoint),
    judgeModern(await endpoint.ask({ message: DISCOVER, headers: DISCOVER_HEADERS })),
    judgeLegacy(await endpoint.ask({ message: initializeAt('2025-06-18') })),
    judgePace(endpoint.times),
  ]
}

function refusedVerdict(probed: Probed, token: string | undefined): Verdict {
  const seen = token === undefined ? 'the server asks for credentials' : `these are refused: ${describe(probed)}`
  const fix =
    token === undefined
      ? 'Run this again with --token.'
      : 'Check --token; for an API key, name --key-header. What the server says may tell more.'
  return failed('credentials', seen, fix)
}

async function wrongToken(endpoint: Endpoint): Promise<Verdict> {
  return judgeWrongCredentials(await endpoint.ask({ message: INITIALIZE, as: 'somebody else' }))
}

interface Opening {
  readonly initialize: Reading
  readonly session: Readonly<Record<string, string>>
}

/** As ArmorIQ's agent speaks: every message has the id 1, params are left out where empty, a session is echoed. */
async function examineAsAgent(endpoint: Endpoint, given: Examination, opening: Opening): Promise<readonly Verdict[]> {
  const { initialize, session: headers } = opening
  const send = (message: JsonObject): Promise<Probed> => endpoint.ask({ message, headers })
  const noted = await send({ jsonrpc: '2.0', id: 1, method: INITIALIZED })
  const notedWithoutId = await send({ jsonrpc: '2.0', method: INITIALIZED })
  const list = readAnswer(await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 1)
  const unknown = readAnswer(await send(callOf(NO_SUCH_TOOL, {})), 1)
  const called = await callGivenTool(endpoint, given, { headers, tools: toolsOf(list) })
  const readings = [initialize, list, unknown, ...(called.reading ? [called.reading] : [])]
  return [
    judgeFrames(readings),
    judgeInitialize(initialize),
    judgeInitializedWithId(noted, readAnswer(noted, 1)),
    judgeInitialized(notedWithoutId),
    judgeList(list),
    judgeUnknownTool(unknown),
    called.verdict,
    judgeTexts(readings.flatMap(({ result }) => (result ? [result] : []))),
  ]
}

const INITIALIZED = 'notifications/initialized'

interface Called {
  readonly verdict: Verdict
  readonly reading?: Reading
}

async function callGivenTool(
  endpoint: Endpoint,
  { tool, args }: Examination,
  { headers, tools }: { readonly headers: Readonly<Record<string, string>>; readonly tools: readonly unknown[] },
): Promise<Called> {
  if (tool === undefined)
    return { verdict: skipped('tools/call', NOTHING_RUN, `Name a harmless one: ${harmless(tools)}.`) }
  if (tools.length > 0 && !tools.some((each) => isObject(each) && each.name === tool)) {
    const verdict = failed(`tools/call ${tool}`, 'tools/list does not name it', 'Check --tool, and how it is written.')
    return { verdict }
  }
  const message = callOf(tool, args ?? (tool === 'Bash' ? { command: 'true' } : {}))
  const reading = readAnswer(await endpoint.ask({ message, headers, timeoutMs: TOOL_MS }), 1)
  return { verdict: judgeCall(reading, tool), reading }
}

const NOTHING_RUN = 'nothing is run on a server unless you name it'

function harmless(tools: readonly unknown[]): string {
  const free = tools.find((tool) => isObject(tool) && isObject(tool.inputSchema) && isEmpty(tool.inputSchema.required))
  const bash = tools.find((tool) => isObject(tool) && tool.name === 'Bash')
  if (isObject(bash)) return '--tool Bash runs the command "true"'
  if (!isObject(free)) return "--tool NAME --args '{…}'"
  return `--tool NAME --args '{…}'; ${quote(String(free.name))} requires no arguments, if it does no harm`
}

function isEmpty(required: unknown): boolean {
  return required === undefined || (Array.isArray(required) && required.length === 0)
}

async function examineAsScanner(endpoint: Endpoint): Promise<Verdict> {
  const methods = ['initialize', 'tools/list', 'resources/list', 'prompts/list']
  const readings = methods.map(async (method): Promise<[string, Reading]> => {
    const id = `conmap-${method}`
    return [method, readAnswer(await endpoint.ask({ message: { jsonrpc: '2.0', id, method, params: {} } }), id)]
  })
  return judgeScanner(new Map(await Promise.all(readings)))
}

function sessionOf(probed: Probed): Readonly<Record<string, string>> {
  const id = probed.kind === 'answered' ? probed.headers['mcp-session-id'] : undefined
  return id === undefined ? {} : { 'mcp-session-id': id }
}

function callOf(name: string, args: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}

const CLIENT = { name: 'scorpiox-code-check', version: VERSION }
const INITIALIZE = initializeAt(PAGE_REVISION)

function initializeAt(protocolVersion: string): JsonObject {
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT }
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params }
}

const DISCOVER_HEADERS = { 'mcp-protocol-version': MODERN_REVISION, 'mcp-method': 'server/discover' }
const DISCOVER = {
  jsonrpc: '2.0',
  id: 1,
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}
