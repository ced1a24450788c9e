// Declaration of middleware: functions around the calls of tools, resources and prompts. Types only; methods/middleware.ts
// runs them, written by authors of servers.

import type { JsonObject } from '../json/json.js'
import type { CallContext } from './call-context.js'
import type { PromptMessage } from './prompt.js'
import type { ResourceContent, ResourcePart } from './resource.js'
import type { ContentBlock, ToolDeclaration, ToolOutput } from './tool.js'

/**
 * Runs around calls. Each function receives the call, and `next`, which continues with the next middleware and at last
 * with the tool, resource or prompt. The first of the list is the outermost.
 */
export interface Middleware<Claims = JsonObject> {
  /** `next` resolves to what the client would get, failures included; only bugs reject. */
  callTool?(
    call: ToolCall<Claims>,
    /** Continues with these arguments; by default with those of the call. They are validated after the last middleware. */
    next: (args?: JsonObject) => Promise<ToolResult>,
  ): ToolOutput | ToolResult | Promise<ToolOutput | ToolResult>
  /** `next` rejects with a Failure if reading fails. */
  readResource?(
    call: ResourceCall<Claims>,
    next: () => Promise<readonly ResourcePart[]>,
  ): ResourceContent | Promise<ResourceContent>
  /** `next` rejects with a Failure if the prompt fails. */
  getPrompt?(
    call: PromptCall<Claims>,
    next: (args?: Readonly<Record<string, string>>) => Promise<readonly PromptMessage[]>,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>
}

/** The call of a tool, as middleware sees it. */
export interface ToolCall<Claims = JsonObject> extends CallContext<Claims> {
  readonly tool: ToolDeclaration
  /** As the client sent them: not validated yet. */
  readonly arguments: JsonObject
}

/** The reading of a resource, as middleware sees it. */
export interface ResourceCall<Claims = JsonObject> extends CallContext<Claims> {
  readonly uri: string
}

/** The request for a prompt, as middleware sees it. */
export interface PromptCall<Claims = JsonObject> extends CallContext<Claims> {
  readonly prompt: string
  readonly arguments: Readonly<Record<string, string>>
}

/** The result of a tool: what the client gets. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly isError: boolean
  readonly structuredContent?: JsonObject | undefined
  /** Members of the result's `_meta`. */
  readonly meta?: JsonObject | undefined
}
