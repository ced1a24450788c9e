// Turns entries of the lists of a mounted server into definitions that forward to it. What this server could not list,
// such as a tool with a name that is not allowed, is left out. Used by remote-mount.ts. Pure: the functions of the
// definitions send the requests.

import type { CallContext } from '../definitions/call-context.js'
import type { Completer, PromptArgument, PromptDefinition, PromptMessage } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourcePart, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { StandardSchema } from '../definitions/standard-schema.js'
import type { ToolDefinition, ToolHints } from '../definitions/tool.js'
import { Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { createMountFailure } from './mount-connector.js'
import { addNamePrefix, addUriPrefix, type DefinitionLists } from './mount-lists.js'
import { MountedResult, readBlock } from './mounted-result.js'
import { readIcons } from './read-icons.js'
import type { ServerLists } from './read-lists.js'

/** Sends requests to the mounted server. */
export interface RequestForwarder {
  readonly prefix: string
  readonly canComplete: boolean
  forward(method: string, params: JsonObject, call: CallContext | undefined): Promise<JsonObject>
  watch(uri: string, user: string): Promise<void>
  /** Throws if the lists of this server could not contain these. */
  check(lists: Partial<DefinitionLists>): void
}

/** `onSkip` receives what is left out, and why. */
export function createDefinitions(
  lists: ServerLists,
  server: RequestForwarder,
  onSkip: (reason: string) => void,
): DefinitionLists {
  const createAll = <T>(entries: readonly JsonObject[], create: (entry: JsonObject) => T): T[] =>
    entries.flatMap((entry) => {
      try {
        return [create(entry)]
      } catch (error) {
        onSkip(String(error))
        return []
      }
    })
  return {
    tools: createAll(lists.tools, (entry) => createTool(entry, server)),
    prompts: createAll(lists.prompts, (entry) => createPrompt(entry, server)),
    resources: createAll(lists.resources, (entry) => createResource(readText(entry, 'uri'), entry, server)),
    templates: createAll(lists.templates, (entry) => createTemplate(entry, server)),
  }
}

function createTool(entry: JsonObject, server: RequestForwarder): ToolDefinition {
  const name = readText(entry, 'name')
  const { inputSchema, outputSchema, annotations } = entry
  if (!isJsonObject(inputSchema)) throw new Error(`tool ${name} has no input schema`)
  const tool: ToolDefinition = {
    name: addNamePrefix(server.prefix, name),
    ...readInfo(entry),
    ...(isJsonObject(annotations) && { hints: readHints(annotations) }),
    input: uncheckedSchema(inputSchema),
    ...(isJsonObject(outputSchema) && outputSchema.type === 'object' && { output: outputSchema }),
    async run(input, call) {
      const result = await server.forward('tools/call', { name, arguments: input }, call)
      if (!Array.isArray(result.content) && !isJsonObject(result.structuredContent))
        throw createMountFailure(server.prefix, new Failure('answered with a result that has no content'))
      return new MountedResult(server.prefix, result)
    },
  }
  server.check({ tools: [tool] })
  return tool
}

/** The server checks its arguments itself, and may accept some that its schema does not name. */
function uncheckedSchema(schema: JsonObject): StandardSchema {
  const open = { ...schema, additionalProperties: schema.additionalProperties ?? true }
  return {
    '~standard': {
      version: 1,
      vendor: 'mounted',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => open, output: () => open },
    },
  }
}

function createPrompt(entry: JsonObject, server: RequestForwarder): PromptDefinition {
  const name = readText(entry, 'name')
  const args = Array.isArray(entry.arguments) ? entry.arguments.filter(isJsonObject) : []
  const ref = { type: 'ref/prompt', name }
  return {
    name: addNamePrefix(server.prefix, name),
    ...readInfo(entry),
    arguments: args.map((argument) => createArgument(argument, ref, server)),
    async get(values, call) {
      const { messages } = await server.forward('prompts/get', { name, arguments: values }, call)
      return Array.isArray(messages) ? messages.map((message) => readMessage(server.prefix, message)) : []
    },
  }
}

function createArgument(argument: JsonObject, ref: JsonObject, server: RequestForwarder): PromptArgument {
  const name = readText(argument, 'name')
  return {
    name,
    ...readDescription(argument),
    ...(argument.required === true && { required: true }),
    ...(server.canComplete && { complete: createCompleter(server, ref, name) }),
  }
}

function readMessage(prefix: string, message: unknown): PromptMessage {
  const { role, content } = isJsonObject(message) ? message : {}
  return { role: role === 'assistant' ? role : 'user', content: readBlock(prefix, content) }
}

/** `uri` is that of the mounted server; `entry` is empty if the resource is in no list. */
export function createResource(uri: string, entry: JsonObject, server: RequestForwarder): ResourceDefinition {
  const { name, mimeType, size } = entry
  return {
    uri: addUriPrefix(server.prefix, uri),
    name: typeof name === 'string' ? name : uri,
    ...readInfo(entry),
    ...(typeof mimeType === 'string' && { mimeType }),
    ...(typeof size === 'number' && { size }),
    watch: (_services, user) => server.watch(uri, user),
    async read(call) {
      const { contents } = await server.forward('resources/read', { uri }, call)
      return Array.isArray(contents) ? contents.flatMap((part) => readPart(server.prefix, part)) : []
    },
  }
}

function readPart(prefix: string, part: unknown): ResourcePart[] {
  const { uri, mimeType, text, blob } = isJsonObject(part) ? part : {}
  if (typeof uri !== 'string') return []
  const info = { uri: addUriPrefix(prefix, uri), ...(typeof mimeType === 'string' && { mimeType }) }
  if (typeof text === 'string') return [{ ...info, text }]
  return typeof blob === 'string' ? [{ ...info, blob }] : []
}

/** Only listed and completed: what it matches is found by its prefix. */
function createTemplate(entry: JsonObject, server: RequestForwarder): ResourceTemplateDefinition {
  const inner = readText(entry, 'uriTemplate')
  const uriTemplate = addUriPrefix(server.prefix, inner)
  const variables = [...inner.matchAll(/\{[+?&]?([\w,]+)\}/g)].flatMap(([, names = '']) => names.split(','))
  const ref = { type: 'ref/resource', uri: inner }
  const template: ResourceTemplateDefinition = {
    uriTemplate,
    name: readText(entry, 'name'),
    ...readInfo(entry),
    ...(typeof entry.mimeType === 'string' && { mimeType: entry.mimeType }),
    ...(server.canComplete && {
      complete: Object.fromEntries(variables.map((name) => [name, createCompleter(server, ref, name)])),
    }),
    read: () => undefined,
  }
  server.check({ templates: [template] })
  return template
}

function createCompleter(server: RequestForwarder, ref: JsonObject, name: string): Completer {
  return async (value, others, call) => {
    const params = { ref, argument: { name, value }, context: { arguments: others } }
    const { completion } = await server.forward('completion/complete', params, call)
    const values: unknown = isJsonObject(completion) ? completion.values : undefined
    return Array.isArray(values) ? values.filter((item) => typeof item === 'string') : []
  }
}

function readText(entry: JsonObject, member: string): string {
  const value = entry[member]
  if (typeof value === 'string' && value !== '' && value.length <= 2048) return value
  throw new Error(`an entry of a list has no ${member}`)
}

/** Members that tools, prompts, resources and templates have in common. */
function readInfo(entry: JsonObject): Pick<PromptDefinition, 'title' | 'description' | 'icons'> {
  const { title, annotations } = entry
  const shown = title ?? (isJsonObject(annotations) ? annotations.title : undefined)
  return { ...(typeof shown === 'string' && { title: shown }), ...readDescription(entry), ...readIcons(entry) }
}

function readDescription({ description }: JsonObject): { readonly description?: string } {
  return typeof description === 'string' ? { description } : {}
}

function readHints(annotations: JsonObject): ToolHints {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  return {
    ...(typeof readOnlyHint === 'boolean' && { readOnly: readOnlyHint }),
    ...(typeof destructiveHint === 'boolean' && { destructive: destructiveHint }),
    ...(typeof idempotentHint === 'boolean' && { idempotent: idempotentHint }),
    ...(typeof openWorldHint === 'boolean' && { openWorld: openWorldHint }),
  }
}
