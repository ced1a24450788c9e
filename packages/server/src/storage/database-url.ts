// Removes the password from a database URL, and from messages that repeat one, for display. Used by errors of
// postgres.ts and by `state`. Pure.

import { decodeUriText } from '../text/normalize-text.js'
import { tryParseUrl } from '../text/parse-url.js'

const MASK = '****'

/** Returns undefined if it is not a PostgreSQL URL. */
export function redactDatabaseUrl(address: string): string | undefined {
  const url = tryParseUrl(address)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  if (url.password !== '') url.password = MASK
  for (const name of secretParameters(url)) url.searchParams.set(name, MASK)
  return url.href
}

/** Removes the password from a text about the URL, such as an error message. */
export function redactPassword(text: string, address: string): string {
  const url = tryParseUrl(address)
  const parameterSecrets = url ? secretParameters(url).flatMap((name) => url.searchParams.getAll(name)) : []
  const secrets = [url?.password, decodeUriText(url?.password ?? ''), ...parameterSecrets]
  return secrets.reduce<string>((redacted, secret) => (secret ? redacted.replaceAll(secret, MASK) : redacted), text)
}

/** The names of parameters that contain a password, such as password and sslpassword. */
function secretParameters(url: URL): readonly string[] {
  return [...url.searchParams.keys()].filter((name) => /password/i.test(name))
}
