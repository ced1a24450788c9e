// Runs all checks of `scorpiox-code check`: which requests are sent, in which order, and when to stop early. Calls no
// tool of the server except the one given with --tool. Called by check-command.

import { isLoopback } from '@scorpiox/mcp/http/host-policy'
import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import { MODERN_REVISION } from '@scorpiox/mcp/revisions/revision'
import { VERSION } from '@scorpiox/server/config/version'
import { type CheckResult, describeProbe, failedCheck, quoteText, skippedCheck } from './check-result.js'
import { createEndpointClient, type EndpointClient } from './endpoint-client.js'
import type { ProbeResult } from './http-probe.js'
import {
  checkAddress,
  checkCertificate,
  checkGet,
  checkOrigin,
  checkUnauthenticated,
  checkWrongCredentials,
  findRefusal,
} from './network-checks.js'
import { type ParsedResponse, parseResponse } from './parse-response.js'
import {
  ARMORIQ_REVISION,
  checkConcurrentRequests,
  checkFraming,
  checkInitialize,
  checkInitialized,
  checkInitializedWithId,
  checkLegacyRevision,
  checkModernRevision,
  checkPost,
  checkResponseTime,
  checkTextContent,
  checkToolCall,
  checkToolList,
  checkUnknownTool,
  listedTools,
} from './protocol-checks.js'

/** The timeout of ArmorIQ's SDK for a tool call. */
const TOOL_TIMEOUT_MS = 30_000
const NO_SUCH_TOOL = 'scorpiox_check_no_such_tool'

export interface CheckRequest {
  readonly url: URL
  readonly token: string | undefined
  readonly keyHeader: string | undefined
  readonly tool: string | undefined
  readonly args: JsonObject | undefined
  /** Timeout of each request except the tool call. */
  readonly timeoutMs?: number | undefined
}

export async function runChecks(request: CheckRequest): Promise<readonly CheckResult[]> {
  const { url, token } = request
  const isLocal = isLoopback(url.hostname)
  // The token is sent only to a server with a trusted certificate; without a token any certificate is acceptable.
  const anonymousClient = createEndpointClient({ ...request, token: undefined, acceptAnyCertificate: true })
  const anonymous = await anonymousClient.send({ message: INITIALIZE })
  const certificate = checkCertificate(anonymous, url)
  const networkResults = [checkAddress(url, isLocal, anonymous), certificate]
  if (anonymous.kind === 'unanswered') return [...networkResults, checkPost(parseResponse(anonymous, 1))]
  const broken = await anonymousClient.send({ message: '{' })
  networkResults.push(checkUnauthenticated(anonymous, broken, isLocal))
  await anonymousClient.close()
  const acceptAnyCertificate = isLocal || token === undefined
  if (certificate.state === 'failed' && !acceptAnyCertificate)
    return [...networkResults, skippedCheck('the rest', UNTRUSTED, UNTRUSTED_FIX)]
  const endpoint = createEndpointClient({ ...request, acceptAnyCertificate })
  const protocolResults = await runProtocolChecks(endpoint, request)
  await endpoint.close()
  return [...networkResults, ...protocolResults]
}

const UNTRUSTED = 'the token is not sent to a server without a trusted certificate'
const UNTRUSTED_FIX = 'Fix the certificate first.'

async function runProtocolChecks(endpoint: EndpointClient, request: CheckRequest): Promise<readonly CheckResult[]> {
  const first = await endpoint.send({ message: INITIALIZE })
  if (findRefusal(first))
    return [credentialsRejected(first, request.token), skippedCheck('the rest', 'it requires credentials')]
  const initialize = parseResponse(first, 1)
  const post = checkPost(initialize)
  if (post.state === 'failed') return [post, skippedCheck('the rest', 'initialize was not answered')]
  return [
    ...(request.token === undefined
      ? [skippedCheck('wrong credentials', 'no token was given')]
      : [await checkWrongToken(endpoint)]),
    checkOrigin(await endpoint.send({ message: INITIALIZE, headers: { origin: 'https://evil.example' } })),
    checkGet(await endpoint.send({})),
    post,
    ...(await runAgentChecks(endpoint, request, { initialize, session: sessionHeader(first) })),
    await runScannerCheck(endpoint),
    checkModernRevision(await endpoint.send({ message: DISCOVER, headers: DISCOVER_HEADERS })),
    checkLegacyRevision(await endpoint.send({ message: initializeAt('2025-06-18') })),
    checkResponseTime(endpoint.responseTimes),
  ]
}

function credentialsRejected(probed: ProbeResult, token: string | undefined): CheckResult {
  const observed =
    token === undefined ? 'the server requires credentials' : `the token is rejected: ${describeProbe(probed)}`
  const fix =
    token === undefined
      ? 'Run this again with --token.'
      : 'Check --token; for an API key, add --key-header. The response may say more.'
  return failedCheck('credentials', observed, fix)
}

async function checkWrongToken(endpoint: EndpointClient): Promise<CheckResult> {
  return checkWrongCredentials(await endpoint.send({ message: INITIALIZE, credentials: 'invalid' }))
}

interface HandshakeState {
  readonly initialize: ParsedResponse
  readonly session: Readonly<Record<string, string>>
}

/** Sends requests like ArmorIQ's agent: every message has the id 1, empty params are omitted, the session id is returned. */
async function runAgentChecks(
  endpoint: EndpointClient,
  request: CheckRequest,
  handshake: HandshakeState,
): Promise<readonly CheckResult[]> {
  const { initialize, session: headers } = handshake
  const send = (message: JsonObject): Promise<ProbeResult> => endpoint.send({ message, headers })
  const initialized = await send({ jsonrpc: '2.0', id: 1, method: INITIALIZED })
  const initializedWithoutId = await send({ jsonrpc: '2.0', method: INITIALIZED })
  const list = parseResponse(await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }), 1)
  const unknown = parseResponse(await send(toolCallMessage(NO_SUCH_TOOL, {})), 1)
  const toolCall = await callRequestedTool(endpoint, request, { headers, tools: listedTools(list) })
  const responses = [initialize, list, unknown, ...(toolCall.response ? [toolCall.response] : [])]
  return [
    checkFraming(responses),
    checkInitialize(initialize),
    checkInitializedWithId(initialized, parseResponse(initialized, 1)),
    checkInitialized(initializedWithoutId),
    checkToolList(list),
    checkUnknownTool(unknown),
    toolCall.result,
    checkTextContent(responses.flatMap(({ result }) => (result ? [result] : []))),
  ]
}

const INITIALIZED = 'notifications/initialized'

interface ToolCallCheck {
  readonly result: CheckResult
  readonly response?: ParsedResponse
}

async function callRequestedTool(
  endpoint: EndpointClient,
  { tool, args }: CheckRequest,
  { headers, tools }: { readonly headers: Readonly<Record<string, string>>; readonly tools: readonly unknown[] },
): Promise<ToolCallCheck> {
  if (tool === undefined)
    return {
      result: skippedCheck('tools/call', NO_TOOL_GIVEN, `Choose a harmless one: ${suggestHarmlessTool(tools)}.`),
    }
  if (tools.length > 0 && !tools.some((each) => isJsonObject(each) && each.name === tool)) {
    const result = failedCheck(`tools/call ${tool}`, 'tools/list does not contain it', 'Check the spelling of --tool.')
    return { result }
  }
  const message = toolCallMessage(tool, args ?? (tool === 'Bash' ? { command: 'true' } : {}))
  const response = parseResponse(await endpoint.send({ message, headers, timeoutMs: TOOL_TIMEOUT_MS }), 1)
  return { result: checkToolCall(response, tool), response }
}

const NO_TOOL_GIVEN = 'no tool is called without --tool'

function suggestHarmlessTool(tools: readonly unknown[]): string {
  const withoutArguments = tools.find(
    (tool) => isJsonObject(tool) && isJsonObject(tool.inputSchema) && isEmpty(tool.inputSchema.required),
  )
  const bash = tools.find((tool) => isJsonObject(tool) && tool.name === 'Bash')
  if (isJsonObject(bash)) return '--tool Bash runs the command "true"'
  if (!isJsonObject(withoutArguments)) return "--tool NAME --args '{…}'"
  return `--tool NAME --args '{…}'; ${quoteText(String(withoutArguments.name))} requires no arguments; check that it is harmless`
}

function isEmpty(required: unknown): boolean {
  return required === undefined || (Array.isArray(required) && required.length === 0)
}

async function runScannerCheck(endpoint: EndpointClient): Promise<CheckResult> {
  const methods = ['initialize', 'tools/list', 'resources/list', 'prompts/list']
  const responses = methods.map(async (method): Promise<[string, ParsedResponse]> => {
    const id = `conmap-${method}`
    return [method, parseResponse(await endpoint.send({ message: { jsonrpc: '2.0', id, method, params: {} } }), id)]
  })
  return checkConcurrentRequests(new Map(await Promise.all(responses)))
}

function sessionHeader(probed: ProbeResult): Readonly<Record<string, string>> {
  const id = probed.kind === 'answered' ? probed.headers['mcp-session-id'] : undefined
  return id === undefined ? {} : { 'mcp-session-id': id }
}

function toolCallMessage(name: string, args: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}

const CLIENT = { name: 'scorpiox-code-check', version: VERSION }
const INITIALIZE = initializeAt(ARMORIQ_REVISION)

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
