// subscriptions/listen: a request that stays open and carries what changed, each message marked with the listener's id.
// It is answered when the server ends it; until then it is not work that anybody waits for.

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
  /** Stops telling, and gives the answer that says so. */
  end(): Reply
}

/** Acknowledges, then tells what changes. */
export function listen(server: Server, exchange: Exchange): Listening {
  const { send } = exchange.outlet
  if (!send) throw new ProtocolError(INVALID_PARAMS, 'This connection cannot carry a stream')
  const mark = `"io.modelcontextprotocol/subscriptionId":${exchange.request.id}`
  const tell = (method: string, params = ''): void =>
    send(notificationText(method, `{"_meta":{${mark}}${params && `,${params}`}}`))
  const filter = agreedFilter(server, exchange)
  tell('notifications/subscriptions/acknowledged', `"notifications":${JSON.stringify(filter)}`)
  const uris = new Set(filter.resourceSubscriptions)
  const tickets = new Set(filter.taskIds)
  const { user } = exchange.conversation.peer
  for (const uri of uris) beginWatching(server, uri, user)

  const leave = server.notices.listen((notice) => {
    if (notice.kind === 'task') {
      if (notice.user === user && tickets.has(notice.id)) tell('notifications/tasks', notice.params)
    } else if (notice.kind === 'resource') {
      const isOurs = notice.user === undefined || notice.user === user
      if (isOurs && uris.has(notice.uri)) tell('notifications/resources/updated', `"uri":${JSON.stringify(notice.uri)}`)
    } else if (notice.kind !== 'message' && filter[`${notice.kind}ListChanged`]) tell(listChanged(notice.kind))
  })
  return {
    end() {
      leave()
      return new Reply('complete', '', mark)
    },
  }
}

export function listChanged(list: Exclude<Notice['kind'], 'resource' | 'task' | 'message'>): string {
  return `notifications/${list}/list_changed`
}

/** What was asked for and can be had. */
function agreedFilter(server: Server, exchange: Exchange): Filter {
  const { notifications: wanted = {} } = exchange.params
  if (!isObject(wanted)) throw new ProtocolError(INVALID_PARAMS, "Invalid params: 'notifications' must be an object")
  const { changing, library } = server
  const uris = names(wanted.resourceSubscriptions, 'resourceSubscriptions')
  const tickets = names(wanted.taskIds, 'taskIds')
  if (tickets && !abilitiesOf(exchange.client).defer) {
    const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
    throw new ProtocolError(MISSING_CAPABILITY, 'Missing required client capability', { requiredCapabilities })
  }
  return {
    ...(wanted.toolsListChanged === true && changing.tools && { toolsListChanged: true }),
    ...(wanted.promptsListChanged === true && changing.prompts && { promptsListChanged: true }),
    ...(wanted.resourcesListChanged === true && changing.resources && { resourcesListChanged: true }),
    ...(uris && library.hasResources && { resourceSubscriptions: uris.filter((uri) => library.at(uri)) }),
    ...(tickets && server.defers && { taskIds: tickets }),
  }
}

function names(given: unknown, member: string): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (Array.isArray(given) && given.length <= MAX_NAMES && given.every((name) => typeof name === 'string')) return given
  throw new ProtocolError(INVALID_PARAMS, `Invalid params: '${member}' must be a list of at most ${MAX_NAMES} strings`)
}
