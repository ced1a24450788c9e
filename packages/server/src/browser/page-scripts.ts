// Source text that runs inside pages, most of it in an isolated world, where it sees the document but nothing that the
// scripts of the page replaced. It is text rather than functions, because a bundler may rewrite a function so that it
// does not run elsewhere. Used by browser-page, page-renderer and wait-until-settled.

/** The size of the document with shadow trees; `text` counts readable text only. */
const SIZE = `
function size() {
  let elements = 0
  let text = 0
  const roots = [document]
  for (const root of roots) {
    const all = root.querySelectorAll('*')
    elements += all.length
    text += ((root === document ? document.body : root)?.textContent ?? '').length
    for (const each of all) if (each.shadowRoot) roots.push(each.shadowRoot)
    for (const each of root.querySelectorAll('body script, body style, body noscript')) text -= each.textContent.length
  }
  return { elements, text }
}
function differs(one, other) {
  const isSmall = other.text < 500
  return Math.abs(one.elements - other.elements) > (isSmall ? 0 : 3) || Math.abs(one.text - other.text) > (isSmall ? 8 : 40)
}`

/**
 * Runs before the scripts of the page, in their world. Replaces alert, confirm, prompt and print by stubs that return
 * at once and throw after 20 calls: a dialog loop cannot be interrupted from outside.
 */
export const DISABLE_DIALOGS = `(() => {
  const MAX_CALLS = 20
  let calls = 0
  for (const [name, answer] of Object.entries({ alert: undefined, confirm: false, prompt: null, print: undefined })) {
    const value = () => {
      if (++calls > MAX_CALLS) throw new Error('dialogs are disabled')
      return answer
    }
    Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: true })
  }
})()`

/**
 * Resolves when the document has neither grown nor shrunk for a while, or at the limit. Mere changes, such as those of
 * a clock, do not count; while there is hardly any text, it waits longer. A slow document is measured less often.
 */
export const WAIT_UNTIL_SETTLED = `({ settledMs, emptyCharacters, emptySettledMs, limitMs, previous }) => new Promise((resolve) => {
  ${SIZE}
  const startedAt = performance.now()
  let last = size()
  let since = startedAt
  let checks = 0
  const check = () => {
    const began = performance.now()
    const now = size()
    if (differs(now, last)) {
      last = now
      since = began
      checks = 0
    }
    checks++
    const isEmpty = now.text < emptyCharacters && document.scripts.length > 0
    const hasSettled = checks > 2 && began - since >= (isEmpty ? emptySettledMs : settledMs)
    const hasChanged = !previous || differs(now, previous)
    if (hasSettled || began - startedAt >= limitMs) resolve({ hasSettled, hasChanged, ...now })
    else setTimeout(check, Math.max(25, 4 * (performance.now() - began)))
  }
  check()
})`

/**
 * Serialises the document as HTML without scripts and styles; shadow trees and same-origin frames are inlined where
 * they appear.
 */
export const SERIALIZE_DOCUMENT = `(maxBytes) => {
  const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
  const OMITTED = new Set('style noscript template object applet'.split(' '))
  const RENAMED = { xmp: 'pre', listing: 'pre', plaintext: 'pre', iframe: 'div', frame: 'div', frameset: 'body' }
  const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\\u00a0': '&nbsp;' }
  const encoder = new TextEncoder()
  const parts = []
  let bytes = 0
  let isTruncated = false
  const byteLength = (text) => (/^[\\x00-\\x7f]*$/.test(text) ? text.length : encoder.encode(text).length)
  const add = (text, width = byteLength(text)) => {
    bytes += width
    if (bytes > maxBytes) isTruncated = true
    else parts.push(text)
  }
  const escaped = (text, pattern) => (pattern.test(text) ? text.replace(new RegExp(pattern, 'g'), (each) => ESCAPES[each]) : text)
  const addText = (text) => {
    const spaceLeft = Math.max(0, maxBytes - bytes)
    const whole = text.length > spaceLeft ? undefined : escaped(text, /[&<>\\u00a0]/)
    if (whole !== undefined && bytes + byteLength(whole) <= maxBytes) return add(whole)
    // No character takes more bytes than this, escaped or not.
    add(escaped(text.slice(0, spaceLeft / 6), /[&<>\\u00a0]/))
    isTruncated = true
  }
  const frameBody = (element) => {
    try {
      return element.contentDocument?.body ?? null
    } catch {
      return null
    }
  }
  const childrenOf = (element, name) => {
    if (element.shadowRoot) return element.shadowRoot.childNodes
    if (name === 'slot' && element.assignedNodes) {
      const assigned = element.assignedNodes({ flatten: true })
      if (assigned.length > 0) return assigned
    }
    if (name === 'iframe' || name === 'frame') return frameBody(element)?.childNodes ?? []
    return element.childNodes
  }
  const tagOf = (element, name) => {
    let tag = '<' + name
    if (!element.hasAttributes()) return tag + '>'
    for (const { name: key, value } of element.attributes) {
      if (key === 'srcdoc' || /^on|[\\s"'<>\\/=]/.test(key) || value.length > 4096) continue
      tag += ' ' + key + (value === '' ? '' : '="' + escaped(value, /[&"\\u00a0]/) + '"')
    }
    return tag + '>'
  }
  const stack = []
  const enter = (element) => {
    const own = element.localName
    if (OMITTED.has(own) || /[\\s\\/>]/.test(own)) return
    const isScript = own === 'script'
    if (isScript && !/json/.test(element.type)) return
    const name = RENAMED[own] ?? own
    const open = tagOf(element, name)
    if (VOID.has(name)) return add(open)
    const end = '</' + name + '>'
    add(open, byteLength(open) + end.length)
    if (isTruncated) return
    // Unchanged: scripts have no character references.
    if (isScript) add(element.textContent)
    stack.push({ nodes: isScript ? [] : childrenOf(element, own), at: 0, end })
  }
  add('<!DOCTYPE html>')
  if (document.documentElement) enter(document.documentElement)
  while (stack.length > 0) {
    const top = stack[stack.length - 1]
    if (isTruncated || top.at >= top.nodes.length) {
      parts.push(top.end)
      stack.pop()
      continue
    }
    const node = top.nodes[top.at++]
    if (node.nodeType === 1) enter(node)
    else if (node.nodeType === 3 || node.nodeType === 4) addText(node.data)
  }
  return { html: parts.join(''), title: document.title, url: document.URL, isTruncated, contentType: document.contentType }
}`
