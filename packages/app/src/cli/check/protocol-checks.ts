// Checks of initialize, tools/list and tools/call by ArmorIQ's documentation, and of notifications, concurrent
// requests, other revisions and response time, for run-checks.ts. Pure functions over parsed responses.

import { isJsonObject, type JsonObject } from '@scorpiox/mcp/json/json'
import {
  ARMORIQ_SCANNER,
  type CheckDefect,
  type CheckResult,
  combineDefects,
  describeProbe,
  failedCheck,
  failedDefect,
  passedCheck,
  quoteText,
  skippedCheck,
  warningCheck,
} from './check-result.js'
import type { ProbeResult } from './http-probe.js'
import { formatErrorReply, type ParsedResponse, parseFrame } from './parse-response.js'

export const ARMORIQ_REVISION = '2024-11-05'

export function checkInitialize({ envelope, result, error }: ParsedResponse): CheckResult {
  const name = 'initialize'
  const defects = [...envelope]
  if (error) defects.push(failedDefect(formatErrorReply(error), 'Answer initialize with a result.'))
  if (result) defects.push(...checkHandshake(result))
  return combineDefects(name, defects, `answered at ${ARMORIQ_REVISION}`)
}

function checkHandshake({ protocolVersion, capabilities, serverInfo }: JsonObject): CheckDefect[] {
  const defects: CheckDefect[] = []
  if (protocolVersion !== ARMORIQ_REVISION) {
    const observed = `protocolVersion is ${quoteText(String(protocolVersion))}`
    const severity = typeof protocolVersion === 'string' ? 'warning' : 'failed'
    defects.push({ severity, seen: observed, fix: `Answer ${ARMORIQ_REVISION} to clients that request it.` })
  }
  if (!isJsonObject(capabilities) || !isJsonObject(capabilities.tools)) {
    defects.push(failedDefect('capabilities.tools is missing', 'Declare the tools: "capabilities": {"tools": {}}.'))
  }
  const { name, version } = isJsonObject(serverInfo) ? serverInfo : {}
  if (typeof name !== 'string' || typeof version !== 'string') {
    defects.push(
      failedDefect('serverInfo lacks name or version', 'Give serverInfo a name and a version, both strings.'),
    )
  }
  return defects
}

export function listedTools({ result }: ParsedResponse): readonly unknown[] {
  return Array.isArray(result?.tools) ? result.tools : []
}

export function checkToolList(reading: ParsedResponse): CheckResult {
  const { envelope, result, error } = reading
  const tools = listedTools(reading)
  const defects = [...envelope, ...tools.flatMap(checkTool), ...checkNames(tools)]
  if (error) defects.push(failedDefect(formatErrorReply(error), 'Answer tools/list with a result.'))
  if (result && !Array.isArray(result.tools)) {
    defects.push(failedDefect('result.tools is not an array', 'Put the tools into an array, result.tools.'))
  } else if (result && tools.length === 0) {
    defects.push({ severity: 'warning', seen: 'there are no tools', fix: 'Enable the tools that should be listed.' })
  }
  if (result?.nextCursor !== undefined) {
    const fix = "Send all tools at once: ArmorIQ's clients read the first page only."
    defects.push({ severity: 'warning', seen: 'there are more pages', fix })
  }
  return combineDefects(
    'tools/list',
    defects,
    tools.length === 1 ? 'one tool, valid' : `${tools.length} tools, all valid`,
  )
}

function checkTool(tool: unknown, index: number): CheckDefect[] {
  if (!isJsonObject(tool)) return [failedDefect(`tool ${index} is not an object`, 'Describe each tool by an object.')]
  const { name, description, inputSchema } = tool
  const toolLabel = typeof name === 'string' && name !== '' ? quoteText(name) : `tool ${index}`
  const defects: CheckDefect[] = []
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const fix = 'Give each tool a name of 1 to 64 letters, digits, "_", "-" or ".".'
    defects.push(failedDefect(`${toolLabel} has a name that is missing or not portable`, fix))
  }
  if (typeof description !== 'string' || description.trim() === '') {
    defects.push(failedDefect(`${toolLabel} has no description`, 'Say in the description what the tool does.'))
  }
  return [...defects, ...checkSchema(toolLabel, inputSchema)]
}

function checkSchema(toolLabel: string, schema: unknown): CheckDefect[] {
  if (!isJsonObject(schema) || schema.type !== 'object') {
    return [
      failedDefect(`${toolLabel} has no inputSchema of type "object"`, 'Begin each inputSchema with "type": "object".'),
    ]
  }
  const { properties = {}, required } = schema
  if (!isJsonObject(properties))
    return [failedDefect(`${toolLabel}: properties is not an object`, 'Make properties an object.')]
  // Like ArmorIQ's scanner: a schema without properties needs no "required".
  if (required === undefined) {
    if (Object.keys(properties).length === 0) return []
    const fix = `Add "required" at the root of the schema, an empty array if nothing is: ${ARMORIQ_SCANNER} asks for it.`
    return [{ severity: 'warning', seen: `${toolLabel} has no "required"`, fix }]
  }
  const names: readonly unknown[] = Array.isArray(required) ? required : [undefined]
  const areDescribed = names.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))
  if (areDescribed) return []
  return [
    failedDefect(
      `${toolLabel} requires parameters that it does not describe`,
      'List in "required" only names of "properties".',
    ),
  ]
}

function checkNames(tools: readonly unknown[]): CheckDefect[] {
  const names = tools.map((tool) => (isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : ''))
  const duplicate = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  return duplicate === undefined
    ? []
    : [failedDefect(`${quoteText(duplicate)} is listed twice`, 'Give each tool its own name.')]
}

export function checkUnknownTool({ envelope, result, error }: ParsedResponse): CheckResult {
  const name = 'unknown tool'
  const fix = 'Answer a call of an unknown tool with a JSON-RPC error, or with a result that has "isError": true.'
  if (error) return combineDefects(name, envelope, formatErrorReply(error))
  if (result?.isError === true) return combineDefects(name, envelope, 'a result with isError')
  if (result) return failedCheck(name, 'a call of a tool that does not exist succeeds', fix)
  return combineDefects(name, envelope, '')
}

export function checkToolCall({ envelope, result, error }: ParsedResponse, tool: string): CheckResult {
  const name = `tools/call ${tool}`
  const defects = [...envelope]
  if (error)
    defects.push(failedDefect(formatErrorReply(error), 'Answer the call with a result, or check --tool and --args.'))
  if (result && !Array.isArray(result.content)) {
    defects.push(
      failedDefect('result.content is not an array', 'Put the output of the tool into an array, result.content.'),
    )
  }
  if (defects.length === 0 && result?.isError === true) {
    return warningCheck(name, `isError: ${quoteText(JSON.stringify(result.content))}`, 'Check --args.')
  }
  return combineDefects(name, defects, 'a result with content')
}

/** Each text of each result must be JSON. */
export function checkTextContent(results: readonly JsonObject[]): CheckResult {
  const name = 'text is JSON'
  const items = results.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []))
  if (items.length === 0)
    return skippedCheck(name, 'no response had content', 'Name a harmless tool with --tool and --args.')
  return combineDefects(
    name,
    items.flatMap(checkContentItem),
    `${items.length === 1 ? 'the text' : `all ${items.length} texts`} can be parsed`,
  )
}

function checkContentItem(item: unknown): CheckDefect[] {
  const { type, text } = isJsonObject(item) ? item : {}
  if (type !== 'text' || typeof text !== 'string') {
    const observed = `a content item is of type ${quoteText(String(type))}${typeof text === 'string' ? '' : ' without text'}`
    return [failedDefect(observed, 'Return items of type "text" only, each with a string "text".')]
  }
  try {
    JSON.parse(text)
    return []
  } catch {
    const fix = 'Stringify the data: "text" must hold JSON, such as {"result": "…"}.'
    return [failedDefect(`a text is not JSON: ${quoteText(text)}`, fix)]
  }
}

/** A framing defect is reported once, even if several responses have it. */
export function checkFraming(readings: readonly ParsedResponse[]): CheckResult {
  return combineDefects(
    'SSE format',
    readings.flatMap(({ frame }) => frame),
    'one event with one data line in each response',
  )
}

export function checkPost({ envelope, result, error }: ParsedResponse): CheckResult {
  const name = 'POST'
  if (result || error) return passedCheck(name, 'the endpoint answers')
  return combineDefects(name, envelope, '')
}

const SCANNER_TIMEOUT_MS = 5000

/** ArmorIQ's agent sends an id with this notification too, and fails without a response. */
export function checkInitializedWithId(probed: ProbeResult, { envelope, result, error }: ParsedResponse): CheckResult {
  const name = 'initialized with an id'
  const fix = 'Answer a notifications/* message that has an id with HTTP 200 and an empty result.'
  if (probed.kind === 'answered' && probed.status === 202) {
    return failedCheck(name, "HTTP 202: ArmorIQ's agent sends an id and waits for a result", fix)
  }
  if (error) return warningCheck(name, `${formatErrorReply(error)}, which ArmorIQ's agent happens to accept`, fix)
  if (result) return combineDefects(name, envelope, 'HTTP 200 with a result')
  return failedCheck(name, describeProbe(probed), fix)
}

export function checkInitialized(probed: ProbeResult): CheckResult {
  const name = 'initialized without an id'
  const fix = 'Answer a notification with HTTP 202 and no body.'
  if (probed.kind === 'unanswered' || probed.status >= 300) return failedCheck(name, describeProbe(probed), fix)
  if (probed.status === 202 && probed.body === '') return passedCheck(name, 'HTTP 202')
  return warningCheck(name, describeProbe(probed), fix)
}

/** ArmorIQ's scanner sends four requests at once, without a session and with string ids. */
export function checkConcurrentRequests(responses: ReadonlyMap<string, ParsedResponse>): CheckResult {
  const defects = [...responses].flatMap(([method, { envelope, result, error }]) => {
    const isRequired = method === 'initialize' || method === 'tools/list'
    if (error && isRequired) {
      const fix = 'Serve it without a session and without a preceding handshake.'
      return [{ severity: 'failed', seen: `${method}: ${formatErrorReply(error)}`, fix } as const]
    }
    return result || isRequired ? envelope.map((defect) => ({ ...defect, seen: `${method}: ${defect.seen}` })) : []
  })
  return combineDefects('four at once', defects, 'initialize, tools/list, resources/list and prompts/list all answered')
}

export function checkModernRevision(probed: ProbeResult): CheckResult {
  const name = 'revision 2026-07-28'
  if (probed.kind === 'unanswered') return warningCheck(name, probed.reason, 'Answer unknown requests with an error.')
  const { message } = parseFrame(probed)
  const result = isJsonObject(message) && isJsonObject(message.result) ? message.result : undefined
  if (!Array.isArray(result?.supportedVersions))
    return passedCheck(name, `not supported (${describeProbe(probed)}); it is optional`)
  return passedCheck(
    name,
    `supported, with ${result.supportedVersions.map((version) => quoteText(String(version))).join(', ')}`,
  )
}

export function checkLegacyRevision(probed: ProbeResult): CheckResult {
  const name = 'revision 2025-06-18'
  if (probed.kind === 'unanswered') return warningCheck(name, probed.reason, 'Answer initialize at any revision.')
  const { message } = parseFrame(probed)
  const result = isJsonObject(message) && isJsonObject(message.result) ? message.result : undefined
  if (!result) return passedCheck(name, `not supported (${describeProbe(probed)}); it is optional`)
  const id = probed.headers['mcp-session-id']
  const session = id === undefined ? 'without a session id' : `with a session id of ${id.length} characters`
  return passedCheck(name, `answered at ${quoteText(String(result.protocolVersion))}, ${session}`)
}

/** Uses the complete responses except those of tool calls. */
export function checkResponseTime(times: readonly number[]): CheckResult {
  const name = 'pace'
  if (times.length === 0) return skippedCheck(name, 'no request was answered')
  const sorted = [...times].sort((a, b) => a - b)
  const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  const observed = `${times.length} responses, median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`
  if (slowest < SCANNER_TIMEOUT_MS / 2) return passedCheck(name, observed)
  return warningCheck(
    name,
    observed,
    `Answer faster: ${ARMORIQ_SCANNER} drops a server that takes ${SCANNER_TIMEOUT_MS} ms.`,
  )
}
