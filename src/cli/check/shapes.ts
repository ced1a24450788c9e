// Checks of initialize, tools/list and tools/call by ArmorIQ's documentation. Pure functions over parsed responses.

import { isObject, type JsonObject } from '../../lib/json.js'
import { errorWords, type Reading } from './message.js'
import {
  ARMORIQ_SCANNER,
  failed,
  failing,
  ok,
  quote,
  skipped,
  summed,
  warning,
  type Defect,
  type Verdict,
} from './verdict.js'

export const PAGE_REVISION = '2024-11-05'

export function judgeInitialize({ envelope, result, error }: Reading): Verdict {
  const name = 'initialize'
  const defects = [...envelope]
  if (error) defects.push(failing(errorWords(error), 'Answer initialize with a result.'))
  if (result) defects.push(...checkHandshake(result))
  return summed(name, defects, `answered at ${PAGE_REVISION}`)
}

function checkHandshake({ protocolVersion, capabilities, serverInfo }: JsonObject): Defect[] {
  const defects: Defect[] = []
  if (protocolVersion !== PAGE_REVISION) {
    const observed = `protocolVersion is ${quote(String(protocolVersion))}`
    const severity = typeof protocolVersion === 'string' ? 'warning' : 'failed'
    defects.push({ severity, seen: observed, fix: `Answer ${PAGE_REVISION} to clients that request it.` })
  }
  if (!isObject(capabilities) || !isObject(capabilities.tools)) {
    defects.push(failing('capabilities.tools is missing', 'Declare the tools: "capabilities": {"tools": {}}.'))
  }
  const { name, version } = isObject(serverInfo) ? serverInfo : {}
  if (typeof name !== 'string' || typeof version !== 'string') {
    defects.push(failing('serverInfo lacks name or version', 'Give serverInfo a name and a version, both strings.'))
  }
  return defects
}

export function toolsOf({ result }: Reading): readonly unknown[] {
  return Array.isArray(result?.tools) ? result.tools : []
}

export function judgeList(reading: Reading): Verdict {
  const { envelope, result, error } = reading
  const tools = toolsOf(reading)
  const defects = [...envelope, ...tools.flatMap(checkTool), ...checkNames(tools)]
  if (error) defects.push(failing(errorWords(error), 'Answer tools/list with a result.'))
  if (result && !Array.isArray(result.tools)) {
    defects.push(failing('result.tools is not an array', 'Put the tools into an array, result.tools.'))
  } else if (result && tools.length === 0) {
    defects.push({ severity: 'warning', seen: 'there are no tools', fix: 'Enable the tools that should be listed.' })
  }
  if (result?.nextCursor !== undefined) {
    const fix = "Send all tools at once: ArmorIQ's clients read the first page only."
    defects.push({ severity: 'warning', seen: 'there are more pages', fix })
  }
  return summed('tools/list', defects, tools.length === 1 ? 'one tool, valid' : `${tools.length} tools, all valid`)
}

function checkTool(tool: unknown, index: number): Defect[] {
  if (!isObject(tool)) return [failing(`tool ${index} is not an object`, 'Describe each tool by an object.')]
  const { name, description, inputSchema } = tool
  const toolLabel = typeof name === 'string' && name !== '' ? quote(name) : `tool ${index}`
  const defects: Defect[] = []
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const fix = 'Give each tool a name of 1 to 64 letters, digits, "_", "-" or ".".'
    defects.push(failing(`${toolLabel} has a name that is missing or not portable`, fix))
  }
  if (typeof description !== 'string' || description.trim() === '') {
    defects.push(failing(`${toolLabel} has no description`, 'Say in the description what the tool does.'))
  }
  return [...defects, ...checkSchema(toolLabel, inputSchema)]
}

function checkSchema(toolLabel: string, schema: unknown): Defect[] {
  if (!isObject(schema) || schema.type !== 'object') {
    return [
      failing(`${toolLabel} has no inputSchema of type "object"`, 'Begin each inputSchema with "type": "object".'),
    ]
  }
  const { properties = {}, required } = schema
  if (!isObject(properties)) return [failing(`${toolLabel}: properties is not an object`, 'Make properties an object.')]
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
    failing(
      `${toolLabel} requires parameters that it does not describe`,
      'List in "required" only names of "properties".',
    ),
  ]
}

function checkNames(tools: readonly unknown[]): Defect[] {
  const names = tools.map((tool) => (isObject(tool) && typeof tool.name === 'string' ? tool.name : ''))
  const duplicate = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  return duplicate === undefined ? [] : [failing(`${quote(duplicate)} is listed twice`, 'Give each tool its own name.')]
}

export function judgeUnknownTool({ envelope, result, error }: Reading): Verdict {
  const name = 'unknown tool'
  const fix = 'Answer a call of an unknown tool with a JSON-RPC error, or with a result that has "isError": true.'
  if (error) return summed(name, envelope, errorWords(error))
  if (result?.isError === true) return summed(name, envelope, 'a result with isError')
  if (result) return failed(name, 'a call of a tool that does not exist succeeds', fix)
  return summed(name, envelope, '')
}

export function judgeCall({ envelope, result, error }: Reading, tool: string): Verdict {
  const name = `tools/call ${tool}`
  const defects = [...envelope]
  if (error) defects.push(failing(errorWords(error), 'Answer the call with a result, or check --tool and --args.'))
  if (result && !Array.isArray(result.content)) {
    defects.push(failing('result.content is not an array', 'Put the output of the tool into an array, result.content.'))
  }
  if (defects.length === 0 && result?.isError === true) {
    return warning(name, `isError: ${quote(JSON.stringify(result.content))}`, 'Check --args.')
  }
  return summed(name, defects, 'a result with content')
}

/** Each text of each result must be JSON. */
export function judgeTexts(results: readonly JsonObject[]): Verdict {
  const name = 'text is JSON'
  const items = results.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []))
  if (items.length === 0)
    return skipped(name, 'no response had content', 'Name a harmless tool with --tool and --args.')
  return summed(
    name,
    items.flatMap(checkContentItem),
    `${items.length === 1 ? 'the text' : `all ${items.length} texts`} can be parsed`,
  )
}

function checkContentItem(item: unknown): Defect[] {
  const { type, text } = isObject(item) ? item : {}
  if (type !== 'text' || typeof text !== 'string') {
    const observed = `a content item is of type ${quote(String(type))}${typeof text === 'string' ? '' : ' without text'}`
    return [failing(observed, 'Return items of type "text" only, each with a string "text".')]
  }
  try {
    JSON.parse(text)
    return []
  } catch {
    const fix = 'Stringify the data: "text" must hold JSON, such as {"result": "…"}.'
    return [failing(`a text is not JSON: ${quote(text)}`, fix)]
  }
}

/** A framing defect is reported once, even if several responses have it. */
export function judgeFrames(readings: readonly Reading[]): Verdict {
  return summed(
    'SSE format',
    readings.flatMap(({ frame }) => frame),
    'one event with one data line in each response',
  )
}

export function judgePost({ envelope, result, error }: Reading): Verdict {
  const name = 'POST'
  if (result || error) return ok(name, 'the endpoint answers')
  return summed(name, envelope, '')
}
