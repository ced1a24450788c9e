// The tools of one server, made ready for the wire: looked up by name, listed per revision, arguments checked.
// Lists are printed once per revision; validators are compiled when a tool is first called.

import { isObject, type JsonObject } from '../lib/json.js'
import { compileSchema, type Check, type Problem } from '../lib/json-schema/compile.js'
import { isStandardSchema, type StandardIssue, type StandardSchema } from '../tools/standard-schema.js'
import type { Schema, Tool } from '../tools/tool.js'
import { projectTool, type ToolFace } from './projection.js'
import type { Revision } from './revision.js'

export interface Entry {
  readonly tool: Tool
  /** The members of the value that go into `structuredContent`; undefined where the output schema does not list them. */
  readonly outputNames: readonly string[] | undefined
  /** The checked input, or a promise of it; throws BadInput. */
  read(args: unknown): unknown
}

export interface Catalogue {
  find(name: string): Entry | undefined
  names(): readonly string[]
  /** The JSON text of the `tools` array. */
  list(revision: Revision): string
}

/** Arguments that do not fit the tool's input. How it is said depends on the revision. */
export class BadInput extends Error {
  override readonly name = 'BadInput'

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((problem) => problem.message).join('; '))
  }
}

export function createCatalogue(tools: readonly Tool[]): Catalogue {
  const entries = new Map<string, Entry>()
  const faces: ToolFace[] = []
  for (const tool of tools) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
      throw new Error(`tool name not allowed: ${JSON.stringify(tool.name)}`)
    if (entries.has(tool.name)) throw new Error(`two tools are called ${tool.name}`)
    const face = faceOf(tool)
    faces.push(face)
    entries.set(tool.name, createEntry(tool, face))
  }
  const lists = new Map<Revision, string>()

  return {
    find: (name) => entries.get(name),
    names: () => [...entries.keys()],
    list(revision) {
      let text = lists.get(revision)
      if (text === undefined) {
        text = JSON.stringify(faces.map((face) => projectTool(face, revision)))
        lists.set(revision, text)
      }
      return text
    },
  }
}

function faceOf(tool: Tool): ToolFace {
  const { name, title, description, hints } = tool
  const inputSchema = describeSchema(tool.input, 'input', name)
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
        `use a library version with Standard JSON Schema support, or write the JSON Schema`,
    )
  }
  return standard.jsonSchema[side]({ target: 'draft-2020-12' })
}

function createEntry(tool: Tool, face: ToolFace): Entry {
  const properties = face.outputSchema?.properties
  const outputNames = isObject(properties) ? Object.keys(properties) : undefined
  const { input } = tool
  if (isStandardSchema(input)) return { tool, outputNames, read: (args) => readStandard(input, args) }
  let check: Check | undefined
  return {
    tool,
    outputNames,
    read(args) {
      check ??= compileSchema(input)
      const problems = check(args)
      if (problems) throw new BadInput(problems)
      return args
    },
  }
}

function readStandard(schema: StandardSchema, args: unknown): unknown {
  const result = schema['~standard'].validate(args)
  return result instanceof Promise ? result.then(accepted) : accepted(result)
}

function accepted(result: {
  readonly value?: unknown
  readonly issues?: readonly StandardIssue[] | undefined
}): unknown {
  if (result.issues) throw new BadInput(result.issues.map(toProblem))
  return result.value
}

function toProblem({ message, path = [] }: StandardIssue): Problem {
  const where = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return { path: where, message: where ? `'${where}': ${message}` : message }
}
