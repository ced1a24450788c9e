// The tools of one server, made ready for the wire: looked up by name, listed per revision, arguments checked.
// Lists are printed once per revision; validators are compiled when a tool is first called.

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

// Some clients read the first page only; whoever has more tools than this has other troubles.
export const DEFAULT_PAGE = 1000

export interface Entry {
  readonly tool: Tool
  /** The members of the value that go into `structuredContent`; undefined where the output schema does not list them. */
  readonly outputNames: readonly string[] | undefined
  /** The arguments the input schema names. */
  readonly inputNames: ReadonlySet<string>
  /** The arguments that an HTTP client must repeat in headers. */
  readonly headers: readonly HeaderParameter[]
  /** The checked input, or a promise of it; throws BadInput. */
  read(args: unknown): unknown
}

export interface Catalogue {
  find(name: string): Entry | undefined
  names(): readonly string[]
  /** The members of a `tools/list` result. */
  list(revision: Revision, cursor: unknown): string
}

/** Arguments that do not fit the tool's input. How it is said depends on the revision. */
export class BadInput extends Error {
  override readonly name = 'BadInput'

  constructor(
    readonly problems: readonly Problem[],
    complaints: Tool['complaints'] = {},
  ) {
    super([...new Set(problems.map((problem) => wordsFor(problem, complaints)))].join('; '))
  }
}

/** The tool's own complaint about the argument, or about whatever is inside of it; else the validator's. */
function wordsFor({ path, message }: Problem, complaints: NonNullable<Tool['complaints']>): string {
  const isAbout = (name: string): boolean => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
  const name = Object.keys(complaints).find(isAbout)
  return (name === undefined ? undefined : complaints[name]) ?? message
}

export function createCatalogue(tools: readonly Tool[], pageSize = DEFAULT_PAGE): Catalogue {
  const entries = new Map<string, Entry>()
  const faces: ToolFace[] = []
  for (const tool of tools) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
      throw new Error(`tool name not allowed: ${JSON.stringify(tool.name)}: at most 128 of A-Za-z0-9_.-`)
    if (entries.has(tool.name)) throw new Error(`two tools are called ${tool.name}`)
    if (tool.output && tool.render)
      throw new Error(`tool ${tool.name} has both output and render: with output, the text is its JSON`)
    const face = faceOf(tool)
    faces.push(face)
    entries.set(tool.name, createEntry(tool, face))
  }
  const lists = new Map<Revision, string>()

  function print(revision: Revision, cursor: unknown): string {
    const { items, nextCursor } = pageOf(faces, ({ name }) => name, { list: 'tools', cursor, size: pageSize })
    return memberText({ tools: items.map((face) => projectTool(face, revision)), nextCursor })
  }

  return {
    find: (name) => entries.get(name),
    names: () => [...entries.keys()],
    list(revision, cursor) {
      if (cursor !== undefined) return print(revision, cursor)
      let text = lists.get(revision)
      if (text === undefined) lists.set(revision, (text = print(revision, undefined)))
      return text
    },
  }
}

function faceOf(tool: Tool): ToolFace {
  const { name, title, description, hints } = tool
  const inputSchema = describeSchema(tool.input ?? NO_INPUT, 'input', name)
  const outputSchema = tool.output && describeSchema(tool.output, 'output', name)
  return { name, title, description, hints, inputSchema, outputSchema }
}

function describeSchema(schema: Schema, side: 'input' | 'output', name: string): JsonObject {
  const described = isStandardSchema(schema) ? describeStandard(schema, side, name) : schema
  if (described.type !== 'object') throw new Error(`the ${side} of tool ${name} must be a schema of type "object"`)
  return described
}

function describeStandard(schema: StandardSchema, side: 'input' | 'output', name: string): JsonObject {
  const standard = schema['~standard']
  if (!standard.jsonSchema) {
    throw new Error(
      `the ${side} of tool ${name} (${standard.vendor}) cannot describe itself as JSON Schema: ` +
        `use a version that can (valibot: toStandardJsonSchema), or write JSON Schema`,
    )
  }
  return standard.jsonSchema[side]({ target: 'draft-2020-12' })
}

function createEntry(tool: Tool, { name, inputSchema, outputSchema }: ToolFace): Entry {
  const known = {
    tool,
    outputNames: outputSchema && isObject(outputSchema.properties) ? Object.keys(outputSchema.properties) : undefined,
    inputNames: new Set(isObject(inputSchema.properties) ? Object.keys(inputSchema.properties) : []),
    headers: headerParameters(inputSchema, name),
  }
  const { input = NO_INPUT, assumed, complaints } = tool
  const complete = (args: unknown): unknown => (assumed && isObject(args) ? { ...assumed, ...args } : args)
  if (isStandardSchema(input)) return { ...known, read: (args) => readStandard(input, complete(args), complaints) }
  let check: Check | Promise<Check> | undefined
  return {
    ...known,
    read(given) {
      const args = complete(given)
      check ??= checkOf(input)
      if (!(check instanceof Promise)) return fitting(args, check, complaints)
      return check.then(
        (found) => fitting(args, (check = found), complaints),
        (error: unknown) => {
          // What could not be loaded is tried again by the next call.
          check = undefined
          throw error
        },
      )
    },
  }
}

function fitting(args: unknown, check: Check, complaints: Tool['complaints']): unknown {
  const problems = check(args)
  if (problems) throw new BadInput(problems, complaints)
  return args
}

function readStandard(schema: StandardSchema, args: unknown, complaints: Tool['complaints']): unknown {
  const result = schema['~standard'].validate(args)
  return result instanceof Promise ? result.then((late) => accepted(late, complaints)) : accepted(result, complaints)
}

function accepted(result: StandardResult<unknown>, complaints: Tool['complaints']): unknown {
  if (result.issues) throw new BadInput(result.issues.map(toProblem), complaints)
  return result.value
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  const where = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return { path: where, message: where ? `'${where}': ${message}` : message }
}
