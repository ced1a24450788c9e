// The address of a database as it may be shown: without the password.

const SHOWN = '****'

/** Undefined: it is no address of a PostgreSQL database. */
export function shownAddress(address: string): string | undefined {
  const url = parse(address)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  if (url.password !== '') url.password = SHOWN
  for (const name of secretsIn(url)) url.searchParams.set(name, SHOWN)
  return url.href
}

/** A text that somebody else wrote about it, such as an error message. */
export function withoutPassword(text: string, address: string): string {
  const url = parse(address)
  const given = url ? secretsIn(url).flatMap((name) => url.searchParams.getAll(name)) : []
  const secrets = [url?.password, decoded(url?.password), ...given]
  return secrets.reduce<string>((clean, secret) => (secret ? clean.replaceAll(secret, SHOWN) : clean), text)
}

/** The parameters that hold one, such as password and sslpassword. */
function secretsIn(url: URL): readonly string[] {
  return [...url.searchParams.keys()].filter((name) => /password/i.test(name))
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
