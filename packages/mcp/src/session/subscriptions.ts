// Subscription streams (`subscriptions/listen`, modern revision) of one client: requests that stay open and carry
// change notifications. Each ends once: when the client cancels it, without an answer, or when the server ends it, with
// an answer. Used by session.ts; negotiated-state.ts shares `watchResource`. Sends messages through the session; in
// memory only.

import type { ChangeEvent } from '../definitions/change-events.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../definitions/resource.js'
import { Failure, INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from '../errors.js'
import { isJsonObject } from '../json/json.js'
import { formatRpcNotification, type JsonRpcAnswer } from '../jsonrpc/message.js'
import { TypedResult } from '../jsonrpc/result.js'
import type { RequestContext } from '../request/request-context.js'
import { readClientAbilities, TASKS_EXTENSION } from '../revisions/client-profile.js'
import type { McpServer } from '../server/mcp-server.js'

const MAX_STREAMS = 100

export class SubscriptionStreams {
  readonly #open = new Map<RequestContext, () => void>()
  #isEnded = false

  constructor(private readonly server: McpServer) {}

  /** Resolves when the stream ends: to the answer, or to undefined if the client cancelled it. */
  open(context: RequestContext, answer: (reply: TypedResult) => JsonRpcAnswer): Promise<JsonRpcAnswer> {
    if (this.#open.size >= MAX_STREAMS) {
      throw new ProtocolError(INTERNAL_ERROR, `There may be ${MAX_STREAMS} listeners at once; end some of them first`)
    }
    const subscription = openSubscription(this.server, context)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#open.delete(context)
        const reply = subscription.end()
        resolve(context.state === 'cancelled' ? undefined : answer(reply))
      }
      this.#open.set(context, end)
      if (this.#isEnded) end()
    })
  }

  /** Cancels the stream with this id; without an id, all streams. */
  cancel(reason: string, id?: string): void {
    for (const [context, end] of this.#open) {
      if (id !== undefined && context.request.id !== id) continue
      context.cancel(reason)
      end()
    }
  }

  /** Ends all streams, and those that are opened later, each with its answer. */
  endAll(): void {
    this.#isEnded = true
    for (const end of this.#open.values()) end()
  }
}

const MAX_NAMES = 1000
const MAX_CHARACTERS = 65_536

interface Filter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}

export interface Subscription {
  /** Ends the notifications and returns the answer. */
  end(): TypedResult
}

/**
 * Acknowledges the subscription, then sends a notification for each change, marked with the subscription id. The
 * request is answered when the server ends it, and does not count as work in progress.
 */
function openSubscription(server: McpServer, context: RequestContext): Subscription {
  const { send } = context.sink
  if (!send) throw new ProtocolError(INVALID_PARAMS, 'This connection cannot carry a stream')
  const subscriptionIdMember = `"io.modelcontextprotocol/subscriptionId":${context.request.id}`
  const notify = (method: string, params = ''): void =>
    send(formatRpcNotification(method, `{"_meta":{${subscriptionIdMember}}${params && `,${params}`}}`))
  const filter = acceptFilter(server, context)
  notify('notifications/subscriptions/acknowledged', `"notifications":${JSON.stringify(filter)}`)
  const resourceUris = new Set(filter.resourceSubscriptions)
  const taskIds = new Set(filter.taskIds)
  const { user } = context.session.caller
  for (const uri of resourceUris) watchResource(server, uri, user)

  const unsubscribe = server.changeEvents.subscribe((event) => {
    if (event.kind === 'task') {
      if (event.user === user && taskIds.has(event.id)) notify('notifications/tasks', event.params)
    } else if (event.kind === 'resource') {
      const isVisible = event.user === undefined || event.user === user
      if (isVisible && resourceUris.has(event.uri))
        notify('notifications/resources/updated', `"uri":${JSON.stringify(event.uri)}`)
    } else if (event.kind !== 'message' && filter[`${event.kind}ListChanged`]) notify(listChangedMethod(event.kind))
  })
  return {
    end() {
      unsubscribe()
      return new TypedResult('complete', '', subscriptionIdMember)
    },
  }
}

export function listChangedMethod(list: Exclude<ChangeEvent['kind'], 'resource' | 'task' | 'message'>): string {
  return `notifications/${list}/list_changed`
}

/** Returns the part of the requested filter that this server supports. */
function acceptFilter(server: McpServer, context: RequestContext): Filter {
  const { notifications: requested = {} } = context.params
  if (!isJsonObject(requested))
    throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'notifications' must be an object")
  const { dynamicLists, resourceRegistry } = server
  const resourceUris = readNames(requested.resourceSubscriptions, 'resourceSubscriptions')
  const taskIds = readNames(requested.taskIds, 'taskIds')
  if (taskIds && !readClientAbilities(context.client).tasks) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return {
    ...(requested.toolsListChanged === true && dynamicLists.tools && { toolsListChanged: true }),
    ...(requested.promptsListChanged === true && dynamicLists.prompts && { promptsListChanged: true }),
    ...(requested.resourcesListChanged === true && dynamicLists.resources && { resourcesListChanged: true }),
    ...(resourceUris &&
      resourceRegistry.hasResources && {
        resourceSubscriptions: resourceUris.filter((uri) => resourceRegistry.findByUri(uri)),
      }),
    ...(taskIds && server.supportsTasks && { taskIds }),
  }
}

function readNames(value: unknown, member: string): readonly string[] | undefined {
  if (value === undefined) return undefined
  const isList = Array.isArray(value) && value.length <= MAX_NAMES && value.every((name) => typeof name === 'string')
  if (isList && value.join('').length <= MAX_CHARACTERS) return value
  throw new ProtocolError(
    INVALID_PARAMS,
    `Invalid params: '${member}' must be a list of at most ${MAX_NAMES} strings, ${MAX_CHARACTERS} characters together`,
  )
}

/**
 * Calls a resource's `watch` when a client subscribes. A Failure is ignored here, because resources/read reports it.
 */
export function watchResource(server: McpServer, uri: string, user: string): void {
  const match = server.resourceRegistry.findByUri(uri)
  const resource = match && 'template' in match ? match.template : match
  if (resource?.watch) void watch(server, resource, user)
}

async function watch(
  server: McpServer,
  resource: ResourceDefinition | ResourceTemplateDefinition,
  user: string,
): Promise<void> {
  try {
    const services = await server.services.open(resource.services ?? [])
    await resource.watch?.(services, user)
  } catch (error) {
    if (!(error instanceof Failure)) server.logError(error)
  }
}
