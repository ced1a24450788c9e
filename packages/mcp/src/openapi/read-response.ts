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
  const hide = (text: string): string => hideSecrets(text, secrets)
  if (status < 200 || status >= 300) {
    const excerpt = isTextType(type) ? bytes.toString().slice(0, MAX_ERROR_CHARACTERS).trim() : ''
    throw new Failure(hide(`${name} answered ${status} ${statusMessage}${excerpt && `: ${excerpt}`}`.trim()))
  }
  if (bytes.length === 0) return [{ type: 'text', text: `${name} answered ${status} ${statusMessage}`.trim() }]
  const [kind = ''] = type.split('/')
  if ((kind === 'image' && !/svg/.test(type)) || kind === 'audio') {
    if (isCut)
      throw new Failure(`${name} answered with more than ${maxBytes} bytes of ${type}, which is too much to show.`)
    const mimeType = type.split(';')[0]?.trim() ?? type
    return [{ type: kind === 'audio' ? 'audio' : 'image', data: bytes.toString('base64'), mimeType }]
  }
  if (!isTextType(type) && bytes.includes(0))
    return [{ type: 'text', text: `${name} answered with ${bytes.length} bytes of ${type}, which are not shown.` }]
  const end = isCut ? `\n[cut: the response has more than ${maxBytes} bytes]` : ''
  return [{ type: 'text', text: hide(bytes.toString()) + end }]
}

function isTextType(type: string): boolean {
  return type === '' || /^text\/|json|xml|yaml|javascript|x-www-form-urlencoded/.test(type)
}

/** An API may repeat what it was sent. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const parts = secrets.flatMap((secret) => [secret, secret.replace(/^\w+ /, '')])
  return parts
    .filter((part) => part.length >= MIN_SECRET)
    .reduce((hidden, part) => hidden.replaceAll(part, '[hidden]'), text)
}
