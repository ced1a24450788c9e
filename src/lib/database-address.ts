// The address of a database as it may be shown: without the password.

const SHOWN = '****'

/** Undefined: it is no address of a PostgreSQL database. */
export function shownAddress(address: string): string | undefined {
  const url = parse(address)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  if (url.password !== '') url.password = SHOWN
  if (url.searchParams.has('password')) url.searchParams.set('password', SHOWN)
  return url.href
}

/** A text that somebody else wrote about it, such as an error message. */
export function withoutPassword(text: string, address: string): string {
  const url = parse(address)
  const secrets = [url?.password, decoded(url?.password), url?.searchParams.get('password')]
  return secrets.reduce<string>((clean, secret) => (secret ? clean.replaceAll(secret, SHOWN) : clean), text)
}

function parse(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined
}

function decoded(text = ''): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
