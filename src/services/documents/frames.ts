// Finds the URLs of the frames of a page by scanning its bytes. Old documentation uses framesets, and some pages consist of
// frames only.

import { isHtml, type Copy } from './copy.js'

const FRAMES_SCAN_BYTES = 20_000
const MAX_FRAMES = 6

/** Empty if the page is not a frameset and has text of its own. */
export function framesOf(snapshot: Copy, hasNoText: boolean): readonly string[] {
  if (!isHtml(snapshot)) return []
  const html = snapshot.bytes.subarray(0, FRAMES_SCAN_BYTES).toString('latin1')
  if (!hasNoText && !/<frameset\b/i.test(html)) return []
  const matches = html.matchAll(/<i?frame\b[^<>]{0,1000}?\bsrc\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^\s"'<>]+))/gi)
  const urls = [...matches].flatMap(([, double, single, bare]) =>
    resolveFrameUrl(double ?? single ?? bare ?? '', snapshot.url),
  )
  return [...new Set(urls)].slice(0, MAX_FRAMES)
}

function resolveFrameUrl(rawUrl: string, base: string): readonly string[] {
  const text = rawUrl.replaceAll('&amp;', '&').trim()
  if (!URL.canParse(text, base)) return []
  const { href, protocol } = new URL(text, base)
  return protocol === 'https:' || protocol === 'http:' ? [href] : []
}
