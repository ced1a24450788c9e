// Turns the response of an API into output for the model: text and JSON as they are, images and audio as blocks, other
// bytes as a sentence; and errors into failures. Values of the headers that the author sets are hidden. Used by
// tools-from-openapi.ts. Reads the response.

import type { IncomingMessage } from 'node:http'

import { readBoundedBody } from '../client/http-request.js'
import type { ContentBlock } from '../definitions/tool.js'
import { Failure } from '../errors.js'

const MAX_ERROR_CHARACTERS = 2000
/** Shorter values are too common to be replaced wherever they occur. */
const MIN_SECRET = 6
/** The beginning of a secret that is hidden at the end of a response that was cut. */
const MIN_BEGUN = 3

export interface ResponseOptions {
  /** Method and path, for messages. */
  readonly name: string
  readonly maxBytes: number
  readonly secrets: readonly string[]
}

export async function readResponse(
  response: IncomingMessage,
  { name, maxBytes, secrets }: ResponseOptions,
): Promise<readonly ContentBlock[]> {
  const { statusCode: status = 0, statusMessage = '' } = response
  const type = response.headers['content-type'] ?? ''
  const { bytes, isCut } = await readBoundedBody(response, maxBytes)
  const isText = isTextType(type) && !(type === '' && bytes.includes(0))
  // Before anything is cut off: a part of a secret would not be recognized.
  const readText = (): string => hideSecrets(decodeText(bytes, type, isCut), secrets, isCut)
  if (status < 200 || status >= 300) {
    const excerpt = isText ? readText().slice(0, MAX_ERROR_CHARACTERS).trim() : ''
    const answer = hideSecrets(`${name} answered ${status} ${statusMessage}`.trim(), secrets)
    throw new Failure(excerpt ? `${answer}: ${excerpt}` : answer)
  }
  if (bytes.length === 0) return [{ type: 'text', text: `${name} answered ${status} ${statusMessage}`.trim() }]
  const [kind = ''] = type.split('/')
  if ((kind === 'image' && !/svg/.test(type)) || kind === 'audio') {
    if (isCut)
      throw new Failure(`${name} answered with more than ${maxBytes} bytes of ${type}, which is too much to show.`)
    const mimeType = type.split(';')[0]?.trim() ?? type
    return [{ type: kind === 'audio' ? 'audio' : 'image', data: bytes.toString('base64'), mimeType }]
  }
  if (!isText && bytes.includes(0)) {
    const shown = type || 'an unknown type'
    return [{ type: 'text', text: `${name} answered with ${bytes.length} bytes of ${shown}, which are not shown.` }]
  }
  const end = isCut ? `\n[cut: the response has more than ${maxBytes} bytes]` : ''
  return [{ type: 'text', text: readText() + end }]
}

function isTextType(type: string): boolean {
  return type === '' || /^text\/|json|xml|yaml|javascript|x-www-form-urlencoded/.test(type)
}

/** In the encoding that the type names; a character that is cut in two is left out. */
function decodeText(bytes: Uint8Array, type: string, isCut: boolean): string {
  const [, charset = 'utf-8'] = /charset="?([^\s";]+)/i.exec(type) ?? []
  const options = { stream: isCut }
  try {
    return new TextDecoder(charset).decode(bytes, options)
  } catch {
    return new TextDecoder().decode(bytes, options)
  }
}

/** An API may repeat what it was sent, as it is or as a part of an address or of JSON. `isCut`: also its beginning. */
export function hideSecrets(text: string, secrets: readonly string[], isCut = false): string {
  const forms = new Set(secrets.flatMap((secret) => [secret, secret.replace(/^\w+ /, '')]).flatMap(writeForms))
  // What contains another comes first.
  const parts = [...forms].filter((part) => part.length >= MIN_SECRET).toSorted((a, b) => b.length - a.length)
  const hidden = parts.reduce((rest, part) => rest.replaceAll(part, '[hidden]'), text)
  const start = isCut ? Math.min(...parts.map((part) => hidden.length - countBegun(hidden, part))) : hidden.length
  return start < hidden.length ? `${hidden.slice(0, start)}[hidden]` : hidden
}

function writeForms(secret: string): readonly string[] {
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  return [secret, encodeURIComponent(secret.toWellFormed()), inForm, JSON.stringify(secret).slice(1, -1)]
}

/** How much of a secret is at the end of a text. */
function countBegun(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= MIN_BEGUN; length--)
    if (text.endsWith(secret.slice(0, length))) return length
  return 0
}
