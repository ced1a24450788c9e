// What a page of `ui` sends to stay logged in: `remember` with the public key of the tab, and `forget` when the user logs
// out. Called by start-http.ts after authentication, which sends the result. Changes the stored logins.

import type { HttpExchange } from '@scorpiox/mcp/http/http-exchange'
import { isJsonObject, tryParseJson } from '@scorpiox/mcp/json/json'
import type { BrowserSession } from './browser-logins.js'

/** The id of the credential in a link. */
export const LINK_CREDENTIAL = 'link'

/** Returns the result, or says what is wrong with the body. */
type BrowserAction = (browsers: BrowserSession, exchange: HttpExchange, body: string) => object | string

export const BROWSER_ACTIONS: ReadonlyMap<string, BrowserAction> = new Map([
  ['remember', remember],
  ['forget', forget],
])

/** Null if the tab is not remembered: a token that is revoked must not leave a login behind. */
function remember(browsers: BrowserSession, { request, principal }: HttpExchange, body: string): object | string {
  const publicKey = readText(body, 'publicKey')
  if (publicKey === undefined) return 'publicKey must be a string'
  const { origin } = request.headers
  const credentialId = principal?.credentialId
  if (origin === undefined || credentialId === undefined) return { id: null }
  const openedBy = credentialId === LINK_CREDENTIAL ? undefined : credentialId
  return { id: browsers.remember(publicKey, origin, openedBy) ?? null }
}

function forget(browsers: BrowserSession, _exchange: HttpExchange, body: string): object | string {
  const id = readText(body, 'id')
  if (id === undefined) return 'id must be a string'
  browsers.forget(id)
  return {}
}

function readText(body: string, member: string): string | undefined {
  const fields = tryParseJson(body)
  const value = isJsonObject(fields) ? fields[member] : undefined
  return typeof value === 'string' ? value : undefined
}
