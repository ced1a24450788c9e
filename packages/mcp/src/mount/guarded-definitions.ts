// The definitions of a mounted server in the same process that has middleware: each runs through the layers of its own
// server, which see it under its own name. Used by local-mount.ts. Calls functions of the author; no I/O of its own.

import type { CallContext } from '../definitions/call-context.js'
import type { PromptDefinition } from '../definitions/prompt.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { StandardSchema } from '../definitions/standard-schema.js'
import type { ToolDeclaration, ToolDefinition } from '../definitions/tool.js'
import { Failure } from '../errors.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { toResourceContents } from '../methods/resource-contents.js'
import type { formatValue } from '../methods/tools.js'
import type { ResultParts } from '../methods/tool-result.js'
import type { RegisteredTool } from '../registry/tool-registry.js'
import type { McpServer } from '../server/mcp-server.js'
import type { DefinitionLists } from './mount-lists.js'
import { ReadyResult } from './mounted-result.js'

type Layers = NonNullable<McpServer['middleware']>

export class GuardedDefinitions {
  constructor(
    private readonly server: McpServer,
    private readonly layers: Layers,
    private readonly format: typeof formatValue,
  ) {}

  wrap({ tools, prompts, resources, templates }: DefinitionLists): DefinitionLists {
    return {
      tools: tools.map((tool) => this.#wrapTool(tool)),
      prompts: prompts.map((prompt) => this.#wrapPrompt(prompt)),
      resources: resources.map((resource) => this.#wrapResource(resource)),
      // Only listed and completed: middleware sees the URI, so what they match is found by `findResource`.
      templates: templates.map((template) => ({ ...template, read: () => undefined })),
    }
  }

  findResource(uri: string): ResourceDefinition | undefined {
    const match = this.server.resourceRegistry.findByUri(uri)
    if (!match) return undefined
    return this.#wrapResource('template' in match ? toResource(uri, match) : match)
  }

  #wrapTool(tool: ToolDefinition): ToolDefinition {
    const { name } = tool
    return {
      ...toDeclaration(tool),
      input: this.#uncheckedInput(name),
      run: async (given, call) => {
        const registered = this.server.toolRegistry.find(name)
        if (!registered) throw new Failure(`The tool ${name} was removed.`)
        const { callToolThrough } = await import('../methods/middleware.js')
        const parts = await callToolThrough(
          this.layers,
          tool,
          { params: { arguments: given } },
          {
            createCall: () => createView(call),
            run: (args) => this.#run(registered, args, createView(call)),
            explain: explainFailure,
          },
        )
        return new ReadyResult(parts)
      },
    }
  }

  /** The schema is listed, and open: layers see arguments as the client sent them. They are validated after the layers. */
  #uncheckedInput(name: string): StandardSchema {
    const describe = (): JsonObject => {
      const schema = this.server.toolRegistry.find(name)?.inputSchema ?? { type: 'object' }
      return { ...schema, additionalProperties: schema.additionalProperties ?? true }
    }
    return {
      '~standard': {
        version: 1,
        vendor: 'mounted',
        validate: (value) => ({ value }),
        jsonSchema: { input: describe, output: describe },
      },
    }
  }

  async #run(registered: RegisteredTool, given: unknown, call: CallContext): Promise<ResultParts> {
    const { tool, inputNames, dropsOthers } = registered
    const args =
      dropsOthers && isJsonObject(given)
        ? Object.fromEntries(Object.entries(given).filter(([name]) => inputNames.has(name)))
        : given
    const input = await registered.parseArguments(args)
    const handler = registered.handler ?? (await registered.loadHandler())
    return this.format(registered, handler, await handler.run(input, call, await this.#open(tool.services)))
  }

  #wrapPrompt(prompt: PromptDefinition): PromptDefinition {
    const { services, ...declaration } = prompt
    return {
      ...declaration,
      get: async (args, call) => {
        const { getPromptThrough } = await import('../methods/middleware.js')
        return getPromptThrough(this.layers, prompt.name, args, {
          createCall: () => createView(call),
          get: async (given) => prompt.get(given, createView(call), await this.#open(services)),
        })
      },
    }
  }

  #wrapResource(resource: ResourceDefinition): ResourceDefinition {
    const { services, uri, mimeType, ...info } = resource
    const convert = (content: Parameters<typeof toResourceContents>[0]): ReturnType<typeof toResourceContents> =>
      toResourceContents(content, { uri, mimeType })
    return {
      ...info,
      uri,
      ...(mimeType !== undefined && { mimeType }),
      watch: async (_services, user) => resource.watch?.(await this.#open(services), user),
      read: async (call) => {
        const { readResourceThrough } = await import('../methods/middleware.js')
        return readResourceThrough(this.layers, uri, {
          createCall: () => createView(call),
          read: async () => convert(await resource.read(createView(call), await this.#open(services))),
          convert,
        })
      },
    }
  }

  #open(services: readonly string[] = []): JsonObject | Promise<JsonObject> {
    return services.length > 0 ? this.server.services.open(services) : {}
  }
}

/** What is used only after the layers. */
const INNER_MEMBERS = ['run', 'format', 'meta', 'load', 'services', 'defaultArguments', 'argumentErrors']

function toDeclaration(tool: ToolDefinition): ToolDeclaration {
  const declaration: ToolDeclaration = { ...tool }
  for (const member of INNER_MEMBERS) Reflect.deleteProperty(declaration, member)
  return declaration
}

/** Each layer adds members of its own to the call that it receives. */
function createView(call: CallContext): CallContext {
  const view: CallContext = Object.create(call)
  return view
}

/** The result that explains an expected error; undefined for a bug. The name is that of BadInput in tool-registry.ts. */
function explainFailure(error: unknown): ResultParts | undefined {
  if (error instanceof Failure) return { output: { content: error.message, isError: true } }
  const isBadInput = error instanceof Error && error.name === 'BadInput'
  return isBadInput ? { output: { content: `Invalid arguments: ${error.message}`, isError: true } } : undefined
}

interface TemplateMatch {
  readonly template: ResourceTemplateDefinition
  readonly variables: Readonly<Record<string, string>>
}

function toResource(uri: string, { template, variables }: TemplateMatch): ResourceDefinition {
  const { uriTemplate: _uriTemplate, complete: _complete, ...info } = template
  return {
    ...info,
    uri,
    async read(call, services) {
      const content = await template.read(variables, call, services)
      if (content === undefined) throw new Failure(`Resource not found: ${uri}`)
      return content
    },
  }
}
