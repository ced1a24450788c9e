// A mounted server in the same process: its definitions with the prefix in their names and URIs, and with services of
// its own. Calls reach it as they are, so that everything a call can do works. Created by mounted-server.ts. In memory
// only; the functions of the definitions have their usual effects.

import type { CallContext } from '../definitions/call-context.js'
import type { PromptDefinition } from '../definitions/prompt.js'
import type { ResourceContent, ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import type { ContentBlock, ToolDefinition, ToolHandler, ToolOutput } from '../definitions/tool.js'
import { isJsonObject, type JsonObject } from '../json/json.js'
import { ForwardedResult } from '../jsonrpc/result.js'
import type { formatValue } from '../methods/tools.js'
import type { McpServer } from '../server/mcp-server.js'
import { GuardedDefinitions } from './guarded-definitions.js'
import {
  addNamePrefix,
  addUriPrefix,
  type DefinitionLists,
  type Mount,
  type MountDeps,
  prefixBlock,
  removeNamePrefix,
  removeUriPrefix,
} from './mount-lists.js'
import { prefixResult } from './mounted-result.js'

/** A server and its lists, those of servers that it mounts included. */
export interface ComposedServer extends Pick<Mount, 'lists' | 'findResource' | 'findProblem'> {
  readonly server: McpServer
}

export class LocalMount implements Mount {
  readonly #endEvents: () => void
  /** Set if the server has middleware. */
  readonly #guarded: GuardedDefinitions | undefined

  constructor(
    readonly prefix: string,
    private readonly composed: ComposedServer,
    deps: MountDeps,
    format: typeof formatValue,
  ) {
    const { server } = composed
    this.#guarded = server.middleware && new GuardedDefinitions(server, server.middleware, format)
    this.#endEvents = composed.server.changeEvents.subscribe((event) => {
      if (event.kind === 'resource') deps.onResourceUpdated(addUriPrefix(prefix, event.uri), event.user)
      else if (event.kind !== 'message' && event.kind !== 'task') deps.onListChanged(event.kind)
    })
  }

  lists(): DefinitionLists {
    const lists = this.composed.lists()
    const { tools, prompts, resources, templates } = this.#guarded?.wrap(lists) ?? lists
    return {
      tools: tools.map((tool) => this.#mountTool(tool)),
      prompts: prompts.map((prompt) => this.#mountPrompt(prompt)),
      resources: resources.map((resource) => this.#mountResource(resource)),
      templates: templates.map((template) => this.#mountTemplate(template)),
    }
  }

  refresh(): Promise<void> | undefined {
    return this.composed.server.refreshLists()
  }

  findResource(uri: string): ResourceDefinition | undefined {
    const inner = removeUriPrefix(this.prefix, uri)
    if (inner === undefined) return undefined
    const resource = this.#guarded ? this.#guarded.findResource(inner) : this.composed.findResource(inner)
    return resource && this.#mountResource(resource)
  }

  findProblem(toolName: string): string | undefined {
    const inner = removeNamePrefix(this.prefix, toolName)
    return inner === undefined ? undefined : this.composed.findProblem(inner)
  }

  async close(): Promise<void> {
    this.#endEvents()
    await this.composed.server.close()
  }

  #mountTool(tool: ToolDefinition): ToolDefinition {
    const { services = [], ...declaration } = tool
    const { resourceUri: view } = tool.ui ?? {}
    const mounted = {
      ...declaration,
      name: addNamePrefix(this.prefix, tool.name),
      ...(view !== undefined && { ui: { ...tool.ui, resourceUri: addUriPrefix(this.prefix, view) } }),
    }
    if (!('load' in mounted)) return { ...mounted, ...this.#wrapHandler(mounted, services) }
    return { ...mounted, load: async () => this.#wrapHandler(await mounted.load(), services) }
  }

  #wrapHandler(handler: ToolHandler, services: readonly string[]): ToolHandler {
    const { prefix } = this
    return {
      run: async (input, call) => {
        const value = await handler.run(input, this.#wrapCall(call), await this.#open(services))
        return handler.format ? value : prefixValue(prefix, value)
      },
      ...(handler.format && { format: (value) => prefixOutput(prefix, handler.format?.(value) ?? '') }),
      ...(handler.meta && { meta: (value) => handler.meta?.(value) ?? {} }),
    }
  }

  #mountPrompt(prompt: PromptDefinition): PromptDefinition {
    const { services = [], ...declaration } = prompt
    return {
      ...declaration,
      name: addNamePrefix(this.prefix, prompt.name),
      get: async (args, call) => {
        const messages = await prompt.get(args, this.#wrapCall(call), await this.#open(services))
        return messages.map(({ role, content }) => ({
          role,
          content: typeof content === 'string' ? content : prefixBlock(this.prefix, content),
        }))
      },
    }
  }

  #mountResource(resource: ResourceDefinition): ResourceDefinition {
    const { services = [], ...declaration } = resource
    return {
      ...declaration,
      uri: addUriPrefix(this.prefix, resource.uri),
      watch: async (_services, user) => resource.watch?.(await this.#open(services), user),
      read: async (call) => this.#prefixContent(await resource.read(this.#wrapCall(call), await this.#open(services))),
    }
  }

  #mountTemplate(template: ResourceTemplateDefinition): ResourceTemplateDefinition {
    const { services = [], ...declaration } = template
    return {
      ...declaration,
      uriTemplate: addUriPrefix(this.prefix, template.uriTemplate),
      watch: async (_services, user) => template.watch?.(await this.#open(services), user),
      read: async (variables, call) => {
        const content = await template.read(variables, this.#wrapCall(call), await this.#open(services))
        return content && this.#prefixContent(content)
      },
    }
  }

  #prefixContent(content: ResourceContent): ResourceContent {
    if (typeof content === 'string' || content instanceof Uint8Array) return content
    return content.map((part) => ({ ...part, uri: addUriPrefix(this.prefix, part.uri) }))
  }

  #open(services: readonly string[]): JsonObject | Promise<JsonObject> {
    return services.length > 0 ? this.composed.server.services.open(services) : {}
  }

  /** A proxy rather than a copy: the members of a call are created when they are read. */
  #wrapCall(call: CallContext): CallContext {
    const notifyResourceUpdated = (uri: string): void => call.notifyResourceUpdated(addUriPrefix(this.prefix, uri))
    return new Proxy(call, {
      get: (target, member): unknown =>
        member === 'notifyResourceUpdated' ? notifyResourceUpdated : Reflect.get(target, member, target),
    })
  }
}

function prefixOutput(prefix: string, output: ToolOutput): ToolOutput {
  if (typeof output === 'string') return output
  const prefixAll = (blocks: readonly ContentBlock[]): ContentBlock[] =>
    blocks.map((block) => prefixBlock(prefix, block))
  if (!('content' in output)) return prefixAll(output)
  const { content, isError } = output
  return { content: typeof content === 'string' ? content : prefixAll(content), isError }
}

/** The same for a value of `run` that is sent as it is: blocks, or an object with blocks. */
function prefixValue(prefix: string, value: unknown): unknown {
  if (value instanceof ForwardedResult) return prefixResult(prefix, value)
  if (Array.isArray(value)) return value.map((item) => (isReference(item) ? prefixBlock(prefix, item) : item))
  if (!isJsonObject(value) || !Array.isArray(value.content)) return value
  return { ...value, content: prefixValue(prefix, value.content) }
}

function isReference(value: unknown): value is Extract<ContentBlock, { type: 'resource' | 'resource_link' }> {
  if (!isJsonObject(value)) return false
  if (value.type === 'resource_link') return typeof value.uri === 'string'
  return value.type === 'resource' && isJsonObject(value.resource) && typeof value.resource.uri === 'string'
}
