// The pages that a frameset puts side by side, as documentation of old does, or that are all there is within a page. Found by looking over the bytes.

import { isHtml, type Copy } from './copy.js'

const MAX_LOOK = 20_000
const MAX_FRAMES = 6

/** Their addresses; none where the page is no frameset, or has text beside the frames within it. */
export function framesOf(copy: Copy, isEmpty: boolean): readonly string[] {
  if (!isHtml(copy)) return []
  const html = copy.bytes.subarray(0, MAX_LOOK).toString('latin1')
  if (!isEmpty && !/<frameset\b/i.test(html)) return []
  const sources = html.matchAll(/<i?frame\b[^<>]{0,1000}?\bsrc\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>]+))/gi)
  const addresses = [...sources].flatMap(([, double, single, bare]) =>
    addressOf(double ?? single ?? bare ?? '', copy.url),
  )
  return [...new Set(addresses)].slice(0, MAX_FRAMES)
}

function addressOf(source: string, base: string): readonly string[] {
  const text = source.replaceAll('&amp;', '&').trim()
  if (!URL.canParse(text, base)) return []
  const { href, protocol } = new URL(text, base)
  return protocol === 'https:' || protocol === 'http:' ? [href] : []
}
