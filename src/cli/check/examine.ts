// Runs all checks: which requests are sent, in which order, and when to stop early. Calls no tool of the server except the
// one given with --tool.

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

/** The timeout of ArmorIQ's SDK for a tool call. */
const TOOL_TIMEOUT_MS = 30_000
const NO_SUCH_TOOL = 'scorpiox_check_no_such_tool'

export interface Examination {
  readonly url: URL
  readonly token: string | undefined
  readonly keyHeader: string | undefined
  readonly tool: string | undefined
  readonly args: JsonObject | undefined
  /** Timeout of each request except the tool call. */
  readonly timeoutMs?: number | undefined
}

export async function examine(request: Examination): Promise<readonly Verdict[]> {
  const { url, token } = request
  const isLocal = isLoopback(url.hostname)
  // The token is sent only to a server with a trusted certificate; without a token any certificate is acceptable.
  const anonymousClient = createEndpoint({ ...request, token: undefined, trustAnybody: true })
  const anonymous = await anonymousClient.ask({ message: INITIALIZE })
  const certificate = judgeCertificate(anonymous, url)
  const networkResults = [judgeAddress(url, isLocal, anonymous), certificate]
  if (anonymous.kind === 'unanswered') return [...networkResults, judgePost(readAnswer(anonymous, 1))]
  const broken = await anonymousClient.ask({ message: '{' })
  networkResults.push(judgeStranger(anonymous, broken, isLocal))
  await anonymousClient.leave()
  const acceptAnyCertificate = isLocal || token === undefined
  if (certificate.state === 'failed' && !acceptAnyCertificate)
    return [...networkResults, skipped('the rest', UNTRUSTED, UNTRUSTED_FIX)]
  const endpoint = createEndpoint({ ...request, trustAnybody: acceptAnyCertificate })
  const protocolResults = await runProtocolChecks(endpoint, request)
  await endpoint.leave()
  return [...networkResults, ...protocolResults]
}

const UNTRUSTED = 'the token is not sent to a server without a trusted certificate'
const UNTRUSTED_FIX = 'Fix the certificate first.'

async function runProtocolChecks(endpoint: Endpoint, request: Examination): Promise<readonly Verdict[]> {
  const first = await endpoint.ask({ message: INITIALIZE })
  if (refusalIn(first))
    return [credentialsRejected(first, request.token), skipped('the rest', 'it requires credentials')]
  const initialize = readAnswer(first, 1)
  const post = judgePost(initialize)
  if (post.state === 'failed') return [post, skipped('the rest', 'initialize was not answered')]
  return [
    ...(request.token === undefined
      ? [skipped('wrong credentials', 'no token was given')]
      : [await checkWrongToken(endpoint)]),
    judgeOrigin(await endpoint.ask({ message: INITIALIZE, headers: { origin: 'https://evil.example' } })),
    judgeGet(await endpoint.ask({})),
    post,
    ...(await runAgentChecks(endpoint, request, { initialize, session: sessionHeader(first) })),
    await runScannerCheck(endpoint),
    judgeModern(await endpoint.ask({ message: DISCOVER, headers: DISCOVER_HEADERS })),
    judgeLegacy(await endpoint.ask({ message: initializeAt('2025-06-18') })),
    judgePace(endpoint.times),
  ]
}

function credentialsRejected(probed: Probed, token: string | undefined): Verdict {
  const observed =
    token === undefined ? 'the server requires credentials' : `the token is rejected: ${describe(probed)}`
  const fix =
    token === undefined
      ? 'Run this again with --token.'
      : 'Check --token; for an API key, add --key-header. The response may say more.'
  return failed('credentials', observed, fix)
}

async function checkWrongToken(endpoint: Endpoint): Promise<Verdict> {
  return judgeWrongCredentials(await endpoint.ask({ message: INITIALIZE, as: 'invalid' }))
}

interface HandshakeState {
  readonly initialize: Reading
  readonly session: Readonly<Record<string, string>>
}

/** Sends requests like ArmorIQ's agent: every message has the id 1, empty params are omitted, the session id is returned. */
async function runAgentChecks(
  endpoint: Endpoint,
  request: Examination,
  handshake: HandshakeState,
): Promise<readonly Verdict[]> {
  const { initialize, session: headers } = handshake
  const send = (message: JsonObject): Promise<Probed> => endpoint.ask({ message, headers })
  const initialized = await send({ jsonrpc: '2.0', id: 1, method: INITIALIZED })
  const initializedWithoutId = await send({ jsonrpc: '2.0', method: INITIALIZED })
  const list = readAnswer(await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 1)
  const unknown = readAnswer(await send(toolCallMessage(NO_SUCH_TOOL, {})), 1)
  const toolCall = await callRequestedTool(endpoint, request, { headers, tools: toolsOf(list) })
  const responses = [initialize, list, unknown, ...(toolCall.response ? [toolCall.response] : [])]
  return [
    judgeFrames(responses),
    judgeInitialize(initialize),
    judgeInitializedWithId(initialized, readAnswer(initialized, 1)),
    judgeInitialized(initializedWithoutId),
    judgeList(list),
    judgeUnknownTool(unknown),
    toolCall.result,
    judgeTexts(responses.flatMap(({ result }) => (result ? [result] : []))),
  ]
}

const INITIALIZED = 'notifications/initialized'

interface ToolCallCheck {
  readonly result: Verdict
  readonly response?: Reading
}

async function callRequestedTool(
  endpoint: Endpoint,
  { tool, args }: Examination,
  { headers, tools }: { readonly headers: Readonly<Record<string, string>>; readonly tools: readonly unknown[] },
): Promise<ToolCallCheck> {
  if (tool === undefined)
    return { result: skipped('tools/call', NO_TOOL_GIVEN, `Choose a harmless one: ${suggestHarmlessTool(tools)}.`) }
  if (tools.length > 0 && !tools.some((each) => isObject(each) && each.name === tool)) {
    const result = failed(`tools/call ${tool}`, 'tools/list does not contain it', 'Check the spelling of --tool.')
    return { result }
  }
  const message = toolCallMessage(tool, args ?? (tool === 'Bash' ? { command: 'true' } : {}))
  const response = readAnswer(await endpoint.ask({ message, headers, timeoutMs: TOOL_TIMEOUT_MS }), 1)
  return { result: judgeCall(response, tool), response }
}

const NO_TOOL_GIVEN = 'no tool is called without --tool'

function suggestHarmlessTool(tools: readonly unknown[]): string {
  const withoutArguments = tools.find(
    (tool) => isObject(tool) && isObject(tool.inputSchema) && isEmpty(tool.inputSchema.required),
  )
  const bash = tools.find((tool) => isObject(tool) && tool.name === 'Bash')
  if (isObject(bash)) return '--tool Bash runs the command "true"'
  if (!isObject(withoutArguments)) return "--tool NAME --args '{…}'"
  return `--tool NAME --args '{…}'; ${quote(String(withoutArguments.name))} requires no arguments; check that it is harmless`
}

function isEmpty(required: unknown): boolean {
  return required === undefined || (Array.isArray(required) && required.length === 0)
}

async function runScannerCheck(endpoint: Endpoint): Promise<Verdict> {
  const methods = ['initialize', 'tools/list', 'resources/list', 'prompts/list']
  const responses = methods.map(async (method): Promise<[string, Reading]> => {
    const id = `conmap-${method}`
    return [method, readAnswer(await endpoint.ask({ message: { jsonrpc: '2.0', id, method, params: {} } }), id)]
  })
  return judgeScanner(new Map(await Promise.all(responses)))
}

function sessionHeader(probed: Probed): Readonly<Record<string, string>> {
  const id = probed.kind === 'answered' ? probed.headers['mcp-session-id'] : undefined
  return id === undefined ? {} : { 'mcp-session-id': id }
}

function toolCallMessage(name: string, args: JsonObject): JsonObject {
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
