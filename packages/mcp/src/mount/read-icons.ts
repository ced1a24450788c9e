// Reads the icons in an entry of a list of a mounted server. The entry is untrusted: what is returned passes `checkIcons`
// and has a limited size, the rest is left out. Used by remote-definitions.ts. Pure.

import type { Icon } from '../definitions/icon.js'
import { isJsonObject, type JsonObject } from '../json/json.js'

/** Of one entry, and sizes of one icon. */
const MAX_ICONS = 8
/** An image of a few hundred pixels as a `data:` URL. */
const MAX_SRC = 65_536
const SRC_PATTERN = /^(?:https:\/\/|data:image\/)[!-~]+$/
const TYPE_PATTERN = /^image\/[\w.+-]{1,64}$/
const SIZE_PATTERN = /^(?:any|\d{1,5}x\d{1,5})$/

export function readIcons({ icons }: JsonObject): { readonly icons?: readonly Icon[] } {
  const valid = Array.isArray(icons) ? icons.slice(0, MAX_ICONS).flatMap(readIcon) : []
  return valid.length > 0 ? { icons: valid } : {}
}

/** An icon is left out if its `src` is not valid; of other members only those that are not. */
function readIcon(icon: unknown): readonly Icon[] {
  const { src, mimeType, sizes, theme } = isJsonObject(icon) ? icon : {}
  if (!isText(src, SRC_PATTERN) || src.length > MAX_SRC) return []
  const validSizes = Array.isArray(sizes) ? sizes.slice(0, MAX_ICONS).filter((size) => isText(size, SIZE_PATTERN)) : []
  return [
    {
      src,
      ...(isText(mimeType, TYPE_PATTERN) && { mimeType }),
      ...(validSizes.length > 0 && { sizes: validSizes }),
      ...((theme === 'light' || theme === 'dark') && { theme }),
    },
  ]
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}
