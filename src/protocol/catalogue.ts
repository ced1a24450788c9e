// The tools of one server: lookup by name, list text per revision, validation of arguments. Lists are serialized once
// per revision; validators are compiled when a tool is first called.

import { isObject, type JsonObject } from '../lib/json.js'
import type { Check, Problem } from '../lib/json-schema/check.js'
import {
  isStandardSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from '../tools/standard-schema.js'
import { NO_INPUT, type Schema, type Tool } from '../tools/tool.js'
import { headerParameters, type HeaderParameter } from './header-parameters.js'
import { pageOf } from './paging.js'
import { projectTool, type ToolFace } from './projection.js'
import { memberText } from './reply.js'
import type { Revision } from './revision.js'
import { checkOf } from './schema-check.js'

// Large, because some clients read only the first page.
export const DEFAULT_PAGE = 1000

interface ToolInfo {
  readonly tool: Tool
  /** The members of the value that go into `structuredContent`; undefined if the output schema does not list any. */
  readonly outputNames: readonly string[] | undefined
  /** The names of the arguments in the input schema. */
  readonly inputNames: ReadonlySet<string>
  /** The arguments that an HTTP client must repeat in headers. */
  readonly headers: readonly HeaderParameter[]
}

export interface Entry extends ToolInfo {
  /** Returns the validated input or a promise of it; throws BadInput. */
  read(args: unknown): unknown
}

export interface Catalogue {
  find(name: string): Entry | undefined
  names(): readonly string[]
  /** The members of a `tools/list` result. */
  list(revision: Revision, cursor: unknown): string
}

/** Arguments that do not match the tool's input schema. The revision decides how this is reported. */
export class BadInput extends Error {
  override readonly name = 'BadInput'

  constructor(
    readonly problems: readonly Problem[],
    complaints: Tool['complaints'] = {},
  ) {
    super([...new Set(problems.map((problem) => messageFor(problem, complaints)))].join('; '))
  }
}

/** The tool's own error text for the argument or a part of it; otherwise the validator's message. */
function messageFor({ path, message }: Problem, complaints: NonNullable<Tool['complaints']>): string {
  const concerns = (name: string): boolean =>
    path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
  const name = Object.keys(complaints).find(concerns)
  return (name === undefined ? undefined : complaints[name]) ?? message
}

export function createCatalogue(tools: readonly Tool[], pageSize = DEFAULT_PAGE): Catalogue {
  const registered = new Map<string, Entry>()
  const listings: ToolFace[] = []
  for (const tool of tools) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
      throw new Error(`tool name not allowed: ${JSON.stringify(tool.name)}: at most 128 of A-Za-z0-9_.-`)
    if (registered.has(tool.name)) throw new Error(`two tools are called ${tool.name}`)
    if (tool.output && tool.render)
      throw new Error(`tool ${tool.name} has both output and render: with output, the text is its JSON`)
    const listing = toListing(tool)
    listings.push(listing)
    registered.set(tool.name, registerTool(tool, listing))
  }
  const lists = new Map<Revision, string>()

  function formatList(revision: Revision, cursor: unknown): string {
    const { items, nextCursor } = pageOf(listings, ({ name }) => name, { list: 'tools', cursor, size: pageSize })
    return memberText({ tools: items.map((listing) => projectTool(listing, revision)), nextCursor })
  }

  return {
    find: (name) => registered.get(name),
    names: () => [...registered.keys()],
    list(revision, cursor) {
      if (cursor !== undefined) return formatList(revision, cursor)
      let text = lists.get(revision)
      if (text === undefined) lists.set(revision, (text = formatList(revision, undefined)))
      return text
    },
  }
}

function toListing(tool: Tool): ToolFace {
  const { name, title, description, hints } = tool
  const inputSchema = describeSchema(tool.input ?? NO_INPUT, 'input', name)
  const outputSchema = tool.output && describeSchema(tool.output, 'output', name)
  return { name, title, description, hints, inputSchema, outputSchema }
}

function describeSchema(schema: Schema, side: 'input' | 'output', name: string): JsonObject {
  const described = isStandardSchema(schema) ? toJsonSchema(schema, side, name) : schema
  if (described.type !== 'object') throw new Error(`the ${side} of tool ${name} must be a schema of type "object"`)
  return described
}

function toJsonSchema(schema: StandardSchema, side: 'input' | 'output', name: string): JsonObject {
  const standard = schema['~standard']
  if (!standard.jsonSchema) {
    throw new Error(
      `the ${side} of tool ${name} (${standard.vendor}) cannot describe itself as JSON Schema: ` +
        `use a version that can (valibot: toStandardJsonSchema), or write JSON Schema`,
    )
  }
  return standard.jsonSchema[side]({ target: 'draft-2020-12' })
}

function registerTool(tool: Tool, { name, inputSchema, outputSchema }: ToolFace): Entry {
  const info: ToolInfo = {
    tool,
    outputNames: outputSchema && isObject(outputSchema.properties) ? Object.keys(outputSchema.properties) : undefined,
    inputNames: new Set(isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []),
    headers: headerParameters(inputSchema, name),
  }
  const { input = NO_INPUT, assumed, complaints } = tool
  const addDefaults = (args: unknown): unknown => (assumed && isObject(args) ? { ...assumed, ...args } : args)
  if (isStandardSchema(input))
    return { ...info, read: (args) => parseWithStandardSchema(input, addDefaults(args), complaints) }
  let check: Check | Promise<Check> | undefined
  return {
    ...info,
    read(rawArguments) {
      const args = addDefaults(rawArguments)
      check ??= checkOf(input)
      if (!(check instanceof Promise)) return requireValid(args, check, complaints)
      return check.then(
        (loaded) => requireValid(args, (check = loaded), complaints),
        (error: unknown) => {
          // A failed load is retried by the next call.
          check = undefined
          throw error
        },
      )
    },
  }
}

function requireValid(args: unknown, check: Check, complaints: Tool['complaints']): unknown {
  const problems = check(args)
  if (problems) throw new BadInput(problems, complaints)
  return args
}

function parseWithStandardSchema(schema: StandardSchema, args: unknown, complaints: Tool['complaints']): unknown {
  const result = schema['~standard'].validate(args)
  return result instanceof Promise
    ? result.then((settled) => requireNoIssues(settled, complaints))
    : requireNoIssues(result, complaints)
}

function requireNoIssues(result: StandardResult<unknown>, complaints: Tool['complaints']): unknown {
  if (result.issues) throw new BadInput(result.issues.map(toProblem), complaints)
  return result.value
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  const location = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return { path: location, message: location ? `'${location}': ${message}` : message }
}
