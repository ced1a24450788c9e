// The parts that `resources/read` answers with, from what the function of a resource returns. Used by resources.ts and mount/.
// Pure.

import type { ResourceContent, ResourcePart } from '../definitions/resource.js'
import type { JsonObject } from '../json/json.js'

export function toResourceContents(
  content: ResourceContent,
  { uri, mimeType, ...more }: PartInfo,
): readonly ResourcePart[] {
  const info = { ...(mimeType === undefined ? { uri } : { uri, mimeType }), ...more }
  if (typeof content === 'string') return [{ ...info, text: content }]
  if (content instanceof Uint8Array) return [{ ...info, blob: Buffer.from(content).toString('base64') }]
  if (Array.isArray(content)) return content
  throw new Error(`resource ${uri} must return text, bytes or a list of parts`)
}

interface PartInfo {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly _meta?: JsonObject
}
