// All HTTP requests of the page: the event stream and the user's actions. The token is sent in a header. Used by
// use-console, event-connection and the login; other components import its types and parsers. Sends HTTP requests.

import type { ConsoleChange } from '../view.js'

export type PageAction =
  | 'answer'
  | 'approval'
  | 'decide'
  | 'secret'
  | 'kill'
  | 'restart'
  | 'job'
  | 'cancel'
  | 'dismiss'
  | 'plan'
  | 'tasks'
  | 'task'
  | 'steps'
  | 'change-task'
  | 'type'
  | 'give-back'
  | 'calls'
  | 'call'
  | 'rerun'
  | 'timeline'

export type JobOutputKind = 'output' | 'download' | 'terminal' | 'find'

/** What the login accepts: a token of this server, only the key that it printed, or the key of `ui` and a token. */
export type LoginKind = 'server' | 'key' | 'ui'

/** The result of an action; if it failed, the message of the server, if any. */
export type ActionResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly message: string | null }

export function openEventStream(token: string, signal: AbortSignal): Promise<Response> {
  return fetch('board', {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    cache: 'no-store',
    credentials: 'omit',
    signal,
  })
}

/** Output of a job: one part as events, everything as a file, its terminal as events, or where a text is in it. */
export function openJobOutput(
  token: string,
  kind: JobOutputKind,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(`board/${kind}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    credentials: 'omit',
    body: JSON.stringify(body),
    signal,
  })
}

/** The server runs on this machine. */
export function isLocalPage(): boolean {
  const { hostname } = location
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

export interface LoginInfo {
  readonly kind: LoginKind
  /** Of the running server: a browser that is logged in signs it. */
  readonly run: string | undefined
}

/** Undefined: no server responds. */
export async function fetchLogin(): Promise<LoginInfo | undefined> {
  try {
    const value: unknown = await (await fetch('login.json', { credentials: 'omit', cache: 'no-store' })).json()
    const kind = textMember(value, 'kind')
    return { kind: kind === 'key' || kind === 'ui' ? kind : 'server', run: textMember(value, 'run') ?? undefined }
  } catch {
    return undefined
  }
}

/** Returns the id under which the browser is remembered, if it is. */
export async function sendBrowser(token: string, verb: 'remember' | 'forget', body: object): Promise<string | null> {
  const response = await fetch(`board/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    credentials: 'omit',
    // The page may be about to close.
    keepalive: true,
    body: JSON.stringify(body),
  })
  return textMember(await readJson(response), 'id')
}

/** Status 0: no response. */
export async function postAction(token: string, verb: PageAction, body: object): Promise<ActionResult> {
  try {
    const response = await fetch(`board/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      credentials: 'omit',
      body: JSON.stringify(body),
    })
    return response.ok ? { ok: true, value: await readJson(response) } : await toActionError(response)
  } catch {
    return { ok: false, status: 0, message: null }
  }
}

export async function toActionError(response: Response): Promise<ActionResult> {
  return { ok: false, status: response.status, message: textMember(await readJson(response), 'error') }
}

function readJson(response: Response): Promise<unknown> {
  return response.status === 204 ? Promise.resolve(null) : response.json().catch(() => null)
}

export function textMember(
  value: unknown,
  member: 'error' | 'text' | 'kind' | 'run' | 'id' | 'command',
): string | null {
  if (typeof value !== 'object' || value === null) return null
  const found: unknown = Object.entries(value).find(([name]) => name === member)?.[1]
  return typeof found === 'string' ? found : null
}

/** Undefined if it is not a change. The content of its parts comes from our own server and is not validated. */
export function parseChange(data: string): ConsoleChange | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return isChange(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isChange(value: unknown): value is ConsoleChange {
  return typeof value === 'object' && value !== null && Object.values(value).every((part) => Array.isArray(part))
}
