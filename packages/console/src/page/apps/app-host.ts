// The connection of a view of MCP Apps to the app that shows it (its host): JSON-RPC messages between the frame and its
// parent (specification 2026-01-26). Used by app-frame.tsx and the views. Sends and receives messages of the window.

import type { ContainerSize, HostContext, ToolCallResult } from './host-context.js'

const PROTOCOL_VERSION = '2026-01-26'
const METHOD_NOT_FOUND = -32601
/** A read that is not answered by then counts as failed. */
const READ_MS = 30_000

export interface HostListeners {
  /** The whole context, at the beginning and after each change. */
  readonly onContext: (context: HostContext) => void
  /** Arguments of the call that the view is shown for. */
  readonly onInput: (input: Fields) => void
  readonly onResult: (result: ToolCallResult) => void
  readonly onCancelled: () => void
}

export type Fields = Readonly<Record<string, unknown>>

export interface AppHost {
  /** Whether the host passes these requests on to the server. */
  readonly canRead: boolean
  readonly canCall: boolean
  /** Whether the host opens links; a link in the frame may do nothing. */
  readonly canOpenLinks: boolean
  /** The data of a resource; undefined if it does not exist or the host does not answer. */
  read(uri: string): Promise<unknown>
  /** Rejects with the message of the server or the host. */
  callTool(name: string, input: Fields): Promise<ToolCallResult>
  /** Writes to the chat as the person, so that the model goes on. False if the host refuses. */
  sendMessage(text: string): Promise<boolean>
  setDisplayMode(mode: 'inline' | 'fullscreen'): Promise<void>
  openLink(url: string): Promise<void>
  reportSize(size: ContainerSize): void
}

/** Resolves when the host has answered; rejects with its message if it refuses. */
export async function connectToHost(name: string, listeners: HostListeners): Promise<AppHost> {
  let context: HostContext = {}
  const setContext = (change: unknown): void => {
    context = { ...context, ...(isFields(change) ? change : {}) }
    listeners.onContext(context)
  }
  const request = openChannel((method, params) => {
    if (method === 'ui/notifications/host-context-changed') setContext(params)
    else notifyListener(listeners, method, isFields(params) ? params : {})
  })
  const { hostCapabilities, hostContext } = await request('ui/initialize', {
    protocolVersion: PROTOCOL_VERSION,
    appInfo: { name: `scorpiox-code ${name}`, version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  })
  setContext(hostContext)
  post({ method: 'ui/notifications/initialized', params: {} })
  const capabilities = isFields(hostCapabilities) ? hostCapabilities : {}
  return {
    canRead: isFields(capabilities.serverResources),
    canCall: isFields(capabilities.serverTools),
    canOpenLinks: isFields(capabilities.openLinks),
    read: (uri) => request('resources/read', { uri }, READ_MS).then(readJson, () => undefined),
    async callTool(tool, input) {
      const result = toToolResult(await request('tools/call', { name: tool, arguments: input }))
      if (result.isError) throw new Error(result.text)
      return result
    },
    sendMessage: (text) =>
      request('ui/message', { role: 'user', content: [{ type: 'text', text }] }).then(
        ({ isError }) => isError !== true,
        () => false,
      ),
    async setDisplayMode(mode) {
      const result = await request('ui/request-display-mode', { mode }).catch(() => undefined)
      if (result !== undefined) setContext({ displayMode: result.mode })
    },
    // The address is shown beside the link, for hosts that refuse.
    openLink: (url) =>
      request('ui/open-link', { url }).then(
        () => {},
        () => {},
      ),
    reportSize: (size) => post({ method: 'ui/notifications/size-changed', params: size }),
  }
}

/** Answers requests of the host, passes on its notifications, and returns a function that sends requests to it. */
function openChannel(onNotification: (method: string, params: unknown) => void) {
  const pending = new Map<number, (answer: Fields) => void>()
  let lastId = 0
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || !isFields(data) || data.jsonrpc !== '2.0') return
    const { id, method, params } = data
    if (typeof method !== 'string') {
      if (typeof id === 'number') pending.get(id)?.(data)
    } else if (id === undefined) onNotification(method, params)
    else post({ id, ...answerRequest(method) })
  })
  return (method: string, params: object, limitMs?: number): Promise<Fields> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      const timer = limitMs === undefined ? undefined : setTimeout(() => pending.get(id)?.({}), limitMs)
      pending.set(id, ({ result, error }) => {
        clearTimeout(timer)
        pending.delete(id)
        if (isFields(result)) resolve(result)
        else reject(new Error(textOf(isFields(error) ? error.message : undefined)))
      })
      post({ id, method, params })
    })
}

function post(message: object): void {
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The host asks whether the view is there, or says that it will be removed: nothing has to be saved. */
function answerRequest(method: string): object {
  if (method === 'ping' || method === 'ui/resource-teardown') return { result: {} }
  return { error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } }
}

function notifyListener({ onInput, onResult, onCancelled }: HostListeners, method: string, params: Fields): void {
  if (method === 'ui/notifications/tool-input') onInput(isFields(params.arguments) ? params.arguments : {})
  if (method === 'ui/notifications/tool-result') onResult(toToolResult(params))
  if (method === 'ui/notifications/tool-cancelled') onCancelled()
}

/** Where tools put data for programs. */
const RESULT_DATA = 'io.github.scorpiox/result'

function toToolResult({ content, isError, _meta: meta }: Fields): ToolCallResult {
  const blocks = Array.isArray(content) ? content.filter(isFields) : []
  const data = isFields(meta) ? meta[RESULT_DATA] : undefined
  return {
    text: blocks.map(({ text }) => textOf(text)).join(''),
    images: blocks.flatMap(({ type, data: image, mimeType }) =>
      type === 'image' ? [{ data: textOf(image), mimeType: textOf(mimeType) }] : [],
    ),
    data: isFields(data) ? data : {},
    isError: isError === true,
  }
}

function readJson({ contents }: Fields): unknown {
  const [first]: unknown[] = Array.isArray(contents) ? contents : []
  if (!isFields(first) || typeof first.text !== 'string') return undefined
  try {
    return JSON.parse(first.text)
  } catch {
    return undefined
  }
}
