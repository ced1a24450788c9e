// What each protocol revision knows, as the first revision that had it (or the first and the last), and the faults of a
// recorded conversation: what is malformed, unanswered or answered twice, and what the revision does not define.
import { modern } from './session.mjs'

const always = '2024-11-05'
const never = '9999-12-31'

const tool = {
  name: always,
  description: always,
  inputSchema: always,
  annotations: '2025-03-26',
  title: '2025-06-18',
  outputSchema: '2025-06-18',
  _meta: '2025-06-18',
  icons: '2025-11-25',
  execution: ['2025-11-25', '2025-11-25'],
}
const hints = {
  title: '2025-03-26',
  readOnlyHint: '2025-03-26',
  destructiveHint: '2025-03-26',
  idempotentHint: '2025-03-26',
  openWorldHint: '2025-03-26',
}
const implementation = {
  name: always,
  version: always,
  title: '2025-06-18',
  icons: '2025-11-25',
  description: '2025-11-25',
  websiteUrl: '2025-11-25',
}
const capabilities = {
  experimental: always,
  logging: always,
  prompts: always,
  resources: always,
  tools: always,
  completions: '2025-03-26',
  tasks: '2025-11-25',
  extensions: modern,
}
const resultBase = { _meta: always, resultType: modern }
const results = {
  initialize: {
    ...resultBase,
    protocolVersion: always,
    capabilities: always,
    serverInfo: always,
    instructions: always,
  },
  'server/discover': {
    ...resultBase,
    supportedVersions: modern,
    capabilities: modern,
    instructions: modern,
    ttlMs: modern,
    cacheScope: modern,
  },
  'tools/list': { ...resultBase, tools: always, nextCursor: always, ttlMs: modern, cacheScope: modern },
  'tools/call': { ...resultBase, content: always, isError: always, structuredContent: '2025-06-18' },
  ping: resultBase,
}
const progress = { progressToken: always, progress: always, total: always, message: '2025-03-26', _meta: always }
const block = { type: always, annotations: always, _meta: '2025-06-18' }
const contents = {
  text: { since: always, keys: { ...block, text: always } },
  image: { since: always, keys: { ...block, data: always, mimeType: always } },
  resource: { since: always, keys: { ...block, resource: always } },
  audio: { since: '2025-03-26', keys: { ...block, data: always, mimeType: always } },
  resource_link: {
    since: '2025-06-18',
    keys: {
      ...block,
      uri: always,
      name: always,
      title: always,
      description: always,
      mimeType: always,
      size: always,
      icons: '2025-11-25',
    },
  },
}

/** Whether a content block of this type may be sent to a client of this revision. */
export const knowsContent = (revision, type) => revision >= (contents[type]?.since ?? never)

/** Whether a tool in `tools/list` may carry this field. */
export const knowsField = (revision, field) => knows(revision, tool[field] ?? never)

/** The faults of all messages of the server, as sentences. */
export function wireFaults(wire, revision) {
  const faults = []
  const asked = new Map()
  const tokens = new Map()
  const cancelled = new Set()
  for (const { to, line } of wire) {
    let message
    try {
      message = JSON.parse(line)
    } catch {
      faults.push(`not JSON: ${line.slice(0, 80)}`)
      continue
    }
    if (to === 'server') {
      if (message.method === 'notifications/cancelled') cancelled.add(message.params.requestId)
      if (message.id === undefined) continue
      asked.set(message.id, message.method)
      const token = message.params?._meta?.progressToken
      if (token !== undefined) tokens.set(token, message.id)
      continue
    }
    if (message.jsonrpc !== '2.0') faults.push(`no jsonrpc 2.0: ${line.slice(0, 80)}`)
    if (message.method === 'notifications/progress') {
      const { progressToken } = message.params
      const id = tokens.get(progressToken)
      if (id === undefined) faults.push(`progress that was not requested, token ${progressToken}`)
      else if (cancelled.has(id)) faults.push(`progress after the call ${id} was cancelled`)
      else if (!asked.has(id)) faults.push(`progress after the answer to ${id}`)
      strange(faults, 'progress', message.params, progress, revision)
    } else if (message.method !== undefined) {
      if (message.id !== undefined) faults.push(`the server asked ${message.method} of a client without capabilities`)
    } else if (!asked.has(message.id)) {
      faults.push(`an answer to no open request, id ${message.id}`)
    } else if (cancelled.has(message.id)) {
      faults.push(`an answer to the cancelled request ${message.id}`)
    } else {
      const method = asked.get(message.id)
      asked.delete(message.id)
      if (message.result !== undefined) faults.push(...resultFaults(method, message.result, revision))
      else if (!Number.isInteger(message.error?.code)) faults.push(`neither result nor error: ${line.slice(0, 80)}`)
    }
  }
  for (const [id, method] of asked) if (!cancelled.has(id)) faults.push(`no answer to ${method}, id ${id}`)
  return [...new Set(faults)]
}

function resultFaults(method, result, revision) {
  const faults = []
  // `server/discover` belongs to no legacy revision: a client that probes with it speaks modern at that moment.
  const era = method === 'server/discover' ? modern : revision
  if (results[method]) strange(faults, method, result, results[method], era)
  if (era >= modern) {
    if (typeof result.resultType !== 'string') faults.push(`${method} without resultType`)
    const cacheable = method === 'tools/list' || method === 'server/discover'
    if (cacheable && !(Number.isInteger(result.ttlMs) && ['public', 'private'].includes(result.cacheScope))) {
      faults.push(`${method} without ttlMs and cacheScope`)
    }
  }
  if (result.capabilities) strange(faults, `${method} capabilities`, result.capabilities, capabilities, era)
  if (result.serverInfo) strange(faults, `${method} serverInfo`, result.serverInfo, implementation, era)
  for (const entry of result.tools ?? []) {
    strange(faults, `tool ${entry.name}`, entry, tool, era)
    strange(faults, `annotations of ${entry.name}`, entry.annotations ?? {}, hints, era)
  }
  for (const entry of result.content ?? []) {
    if (!knowsContent(era, entry.type)) faults.push(`content of type ${entry.type} at ${era}`)
    else strange(faults, `${entry.type} content`, entry, contents[entry.type].keys, era)
  }
  return faults
}

function strange(faults, where, value, known, revision) {
  for (const key of Object.keys(value)) {
    const lifetime = Object.hasOwn(known, key) ? known[key] : never
    if (!knows(revision, lifetime)) faults.push(`${where} has ${key}, unknown at ${revision}`)
  }
}

function knows(revision, lifetime) {
  const [first, last = never] = [lifetime].flat()
  return first <= revision && revision <= last
}
