// subscriptions/listen: a request that stays open and carries change notifications, each marked with the subscription
// id. It is answered when the server ends it, and does not count as work in progress.

import { isObject } from '../../lib/json.js'
import type { Notice } from '../../services/notices.js'
import { abilitiesOf, TASKS_EXTENSION } from '../client.js'
import type { Exchange } from '../exchange.js'
import { notificationText } from '../message.js'
import { INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError } from '../protocol-error.js'
import { Reply } from '../reply.js'
import type { Server } from '../server.js'
import { beginWatching } from '../watching.js'

const MAX_NAMES = 1000

interface Filter {
  readonly toolsListChanged?: boolean
  readonly promptsListChanged?: boolean
  readonly resourcesListChanged?: boolean
  readonly resourceSubscriptions?: readonly string[]
  readonly taskIds?: readonly string[]
}

export interface Listening {
  /** Ends the notifications and returns the answer. */
  end(): Reply
}

/** Acknowledges the subscription, then sends a notification for each change. */
export function listen(server: Server, context: Exchange): Listening {
  const { send } = context.outlet
  if (!send) throw new ProtocolError(INVALID_PARAMS, 'This connection cannot carry a stream')
  const subscriptionIdMember = `"io.modelcontextprotocol/subscriptionId":${context.request.id}`
  const notify = (method: string, params = ''): void =>
    send(notificationText(method, `{"_meta":{${subscriptionIdMember}}${params && `,${params}`}}`))
  const filter = acceptFilter(server, context)
  notify('notifications/subscriptions/acknowledged', `"notifications":${JSON.stringify(filter)}`)
  const resourceUris = new Set(filter.resourceSubscriptions)
  const taskIds = new Set(filter.taskIds)
  const { user } = context.conversation.peer
  for (const uri of resourceUris) beginWatching(server, uri, user)

  const unsubscribe = server.notices.listen((event) => {
    if (event.kind === 'task') {
      if (event.user === user && taskIds.has(event.id)) notify('notifications/tasks', event.params)
    } else if (event.kind === 'resource') {
      const isVisible = event.user === undefined || event.user === user
      if (isVisible && resourceUris.has(event.uri))
        notify('notifications/resources/updated', `"uri":${JSON.stringify(event.uri)}`)
    } else if (event.kind !== 'message' && filter[`${event.kind}ListChanged`]) notify(listChanged(event.kind))
  })
  return {
    end() {
      unsubscribe()
      return new Reply('complete', '', subscriptionIdMember)
    },
  }
}

export function listChanged(list: Exclude<Notice['kind'], 'resource' | 'task' | 'message'>): string {
  return `notifications/${list}/list_changed`
}

/** Returns the part of the requested filter that this server supports. */
function acceptFilter(server: Server, context: Exchange): Filter {
  const { notifications: requested = {} } = context.params
  if (!isObject(requested)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'notifications' must be an object")
  const { changing, library } = server
  const resourceUris = readNames(requested.resourceSubscriptions, 'resourceSubscriptions')
  const taskIds = readNames(requested.taskIds, 'taskIds')
  if (taskIds && !abilitiesOf(context.client).defer) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return {
    ...(requested.toolsListChanged === true && changing.tools && { toolsListChanged: true }),
    ...(requested.promptsListChanged === true && changing.prompts && { promptsListChanged: true }),
    ...(requested.resourcesListChanged === true && changing.resources && { resourcesListChanged: true }),
    ...(resourceUris &&
      library.hasResources && { resourceSubscriptions: resourceUris.filter((uri) => library.at(uri)) }),
    ...(taskIds && server.defers && { taskIds }),
  }
}

function readNames(value: unknown, member: string): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length <= MAX_NAMES && value.every((name) => typeof name === 'string')) return value
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${member}' must be a list of at most ${MAX_NAMES} strings`)
}
