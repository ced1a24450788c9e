// The tools of one server: lookup by name, list text per revision, validation of arguments. Lists are serialized once
// per revision; validators are compiled when a tool is first called. Created by mcp-server.ts, used by
// methods/tools.ts. Runs no tool.

import { isForViewsOnly } from '../definitions/app-view.js'
import type { AuthContext } from '../definitions/auth-context.js'
import { isStandardSchema, type StandardIssue, type StandardSchema } from '../definitions/standard-schema.js'
import { NO_INPUT_SCHEMA, type ToolDefinition, type ToolHandler, type ToolSchema } from '../definitions/tool.js'
import { compileOnDemand } from '../json-schema/lazy-compile.js'
import type { SchemaProblem, SchemaValidator } from '../json-schema/validation.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { stringifyMembers } from '../jsonrpc/result.js'
import { projectTool, type ToolListing } from '../revisions/projection.js'
import type { Revision } from '../revisions/revision.js'
import { andThen, loadOnce } from '../promises.js'
import { paginate } from './paging.js'
import { hasScopesFor } from './tool-scopes.js'

// Large, because some clients read only the first page.
export const DEFAULT_PAGE_SIZE = 1000

/** Keywords that concern no arguments but those in `properties`. */
const NAMING_KEYWORDS = new Set(['$schema', 'type', 'title', 'description', 'properties', 'required'])

interface ToolInfo {
  readonly tool: ToolDefinition
  /** The members of the value that go into `structuredContent`; undefined if the output schema does not list any. */
  readonly outputNames: readonly string[] | undefined
  /** The names of the arguments in the input schema. */
  readonly inputNames: ReadonlySet<string>
  /** Arguments with other names mean nothing and are dropped. */
  readonly dropsOthers: boolean
  readonly inputSchema: JsonObject
}

export interface RegisteredTool extends ToolInfo {
  /** Returns the validated input or a promise of it; throws BadInput. */
  parseArguments(args: unknown): unknown
  /** The tool's functions; undefined until they are loaded. */
  handler: ToolHandler | undefined
  /** Loads them once; a failed load is repeated by the next call. */
  readonly loadHandler: () => Promise<ToolHandler>
}

export interface ToolRegistry {
  find(name: string): RegisteredTool | undefined
  /** Without tools for views only. */
  names(): readonly string[]
  /** The members of a `tools/list` result. */
  list(revision: Revision, request?: ToolListRequest): string
}

export interface ToolListRequest {
  readonly cursor?: unknown
  /** Only tools that it may use. */
  readonly auth?: AuthContext<unknown> | undefined
  /** For a client that shows views: with the views of tools, and the tools that only views call. */
  readonly withViews?: boolean
}

/** Arguments that do not match the tool's input schema. The revision decides how this is reported. */
export class BadInput extends Error {
  override readonly name = 'BadInput'

  constructor(
    readonly problems: readonly SchemaProblem[],
    complaints: ToolDefinition['argumentErrors'] = {},
  ) {
    super([...new Set(problems.map((problem) => messageFor(problem, complaints)))].join('; '))
  }
}

/** The tool's own error text for the argument or a part of it; otherwise the validator's message. */
function messageFor(
  { path, message }: SchemaProblem,
  complaints: NonNullable<ToolDefinition['argumentErrors']>,
): string {
  const concerns = (name: string): boolean =>
    path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
  const name = Object.keys(complaints).find(concerns)
  return (name === undefined ? undefined : complaints[name]) ?? message
}

export function createToolRegistry(tools: readonly ToolDefinition[], pageSize = DEFAULT_PAGE_SIZE): ToolRegistry {
  const registered = new Map<string, RegisteredTool>()
  const listings: ToolListing[] = []
  for (const tool of tools) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
      throw new Error(`tool name not allowed: ${JSON.stringify(tool.name)}: at most 128 of A-Za-z0-9_.-`)
    if (registered.has(tool.name)) throw new Error(`two tools are called ${tool.name}`)
    if ('load' in tool && 'run' in tool) throw new Error(`tool ${tool.name} has both load and run`)
    if ('run' in tool) rejectFormatBesideOutput(tool, tool)
    const listing = toListing(tool)
    listings.push(listing)
    registered.set(tool.name, registerTool(tool, listing))
  }
  const lists = new Map<Revision, string>()

  function formatList(revision: Revision, { cursor, auth, withViews }: ToolListRequest): string {
    const visible = listings.filter((listing) => hasScopesFor(listing, auth) && (withViews || !isForViewsOnly(listing)))
    const { items, nextCursor } = paginate(visible, ({ name }) => name, { list: 'tools', cursor, size: pageSize })
    const project = (listing: ToolListing): JsonObject => ({
      ...projectTool(listing, revision),
      _meta: withViews && listing.ui ? { ui: listing.ui } : undefined,
    })
    return stringifyMembers({ tools: items.map(project), nextCursor })
  }

  return {
    find: (name) => registered.get(name),
    names: () => tools.filter((tool) => !isForViewsOnly(tool)).map(({ name }) => name),
    list(revision, request = {}) {
      // What most clients get is kept.
      if (request.cursor !== undefined || request.auth || request.withViews) return formatList(revision, request)
      let text = lists.get(revision)
      if (text === undefined) lists.set(revision, (text = formatList(revision, request)))
      return text
    },
  }
}

function toListing(tool: ToolDefinition): ToolListing {
  const { name, title, description, hints, icons, scopes, ui } = tool
  const inputSchema = describeSchema(tool.input ?? NO_INPUT_SCHEMA, 'input', name)
  const outputSchema = tool.output && describeSchema(tool.output, 'output', name)
  return { name, title, description, hints, icons, scopes, ui, inputSchema, outputSchema }
}

function describeSchema(schema: ToolSchema, side: 'input' | 'output', name: string): JsonObject {
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

function rejectFormatBesideOutput({ name, output }: ToolDefinition, handler: ToolHandler): void {
  if (output && handler.format)
    throw new Error(`tool ${name} has both output and format: with output, the text is its JSON`)
}

function registerTool(tool: ToolDefinition, { inputSchema, outputSchema }: ToolListing): RegisteredTool {
  const info: ToolInfo = {
    tool,
    outputNames:
      outputSchema && isJsonObject(outputSchema.properties) ? Object.keys(outputSchema.properties) : undefined,
    inputNames: new Set(isJsonObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []),
    dropsOthers:
      isJsonObject(inputSchema.properties) && Object.keys(inputSchema).every((keyword) => NAMING_KEYWORDS.has(keyword)),
    inputSchema,
  }
  const { input = NO_INPUT_SCHEMA, defaultArguments, argumentErrors } = tool
  const standardSchema = isStandardSchema(input) ? input : undefined
  let validator: SchemaValidator | undefined
  const registered: RegisteredTool = {
    ...info,
    handler: 'run' in tool ? tool : undefined,
    loadHandler: loadOnce(async () => {
      if ('run' in tool) return tool
      const loaded = await tool.load()
      rejectFormatBesideOutput(tool, loaded)
      return (registered.handler = loaded)
    }),
    parseArguments(rawArguments) {
      const args =
        defaultArguments && isJsonObject(rawArguments) ? { ...defaultArguments, ...rawArguments } : rawArguments
      if (standardSchema) {
        return andThen(standardSchema['~standard'].validate(args), (result) => {
          if (result.issues) throw new BadInput(result.issues.map(toProblem), argumentErrors)
          return result.value
        })
      }
      return andThen(validator ?? compileOnDemand(inputSchema), (validate) => {
        validator = validate
        const problems = validate(args)
        if (problems) throw new BadInput(problems, argumentErrors)
        return args
      })
    },
  }
  return registered
}

function toProblem({ message, path = [] }: StandardIssue): SchemaProblem {
  const location = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return { path: location, message: location ? `'${location}': ${message}` : message }
}
