// What runs inside a page, most of it in a world of its own: it sees the document of the page and nothing that its scripts replaced.
// Text rather than functions, because what a bundler makes of a function need not run elsewhere.

/** How much there is, shadow trees included; `text` counts what can be read only. */
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
 * Runs before the page's own scripts, in their world: whoever asks a person is told that nobody answers, and who asks for
 * ever fails, because a loop of dialogs cannot be ended from outside.
 */
export const NOBODY_THERE = `(() => {
  const PATIENCE = 20
  let asked = 0
  for (const [name, answer] of Object.entries({ alert: undefined, confirm: false, prompt: null, print: undefined })) {
    const value = () => {
      if (++asked > PATIENCE) throw new Error('nobody is there')
      return answer
    }
    Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: true })
  }
})()`

/**
 * Resolves when the document has neither grown nor shrunk for a while, or at the limit. What only changes, such as a clock,
 * does not count; where there is hardly anything to read, more is expected. A slow document is looked at less often.
 */
export const GO_QUIET = `({ quietMs, emptyCharacters, emptyQuietMs, limitMs, before }) => new Promise((resolve) => {
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
    const isQuiet = checks > 2 && began - since >= (isEmpty ? emptyQuietMs : quietMs)
    const hasChanged = !before || differs(now, before)
    if (isQuiet || began - startedAt >= limitMs) resolve({ isQuiet, hasChanged, ...now })
    else setTimeout(check, Math.max(25, 4 * (performance.now() - began)))
  }
  check()
})`

/** The document as HTML without scripts and styles: shadow trees and frames of the same origin stand where they are seen. */
export const SNAPSHOT = `(maxBytes) => {
  const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))
  const LEFT_OUT = new Set('style noscript template object applet'.split(' '))
  const RENAMED = { xmp: 'pre', listing: 'pre', plaintext: 'pre', iframe: 'div', frame: 'div', frameset: 'body' }
  const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\\u00a0': '&nbsp;' }
  const encoder = new TextEncoder()
  const parts = []
  let bytes = 0
  let isCut = false
  const widthOf = (text) => (/^[\\x00-\\x7f]*$/.test(text) ? text.length : encoder.encode(text).length)
  const add = (text, width = widthOf(text)) => {
    bytes += width
    if (bytes > maxBytes) isCut = true
    else parts.push(text)
  }
  const escaped = (text, pattern) => (pattern.test(text) ? text.replace(new RegExp(pattern, 'g'), (each) => ESCAPES[each]) : text)
  const addText = (text) => {
    const room = Math.max(0, maxBytes - bytes)
    const whole = text.length > room ? undefined : escaped(text, /[&<>\\u00a0]/)
    if (whole !== undefined && bytes + widthOf(whole) <= maxBytes) return add(whole)
    // No character takes more than this, escaped or not.
    add(escaped(text.slice(0, room / 6), /[&<>\\u00a0]/))
    isCut = true
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
    if (LEFT_OUT.has(own) || /[\\s\\/>]/.test(own)) return
    const isScript = own === 'script'
    if (isScript && !/json/.test(element.type)) return
    const name = RENAMED[own] ?? own
    const open = tagOf(element, name)
    if (VOID.has(name)) return add(open)
    const end = '</' + name + '>'
    add(open, widthOf(open) + end.length)
    if (isCut) return
    // As it is: nothing in a script is an escape.
    if (isScript) add(element.textContent)
    stack.push({ nodes: isScript ? [] : childrenOf(element, own), at: 0, end })
  }
  add('<!DOCTYPE html>')
  if (document.documentElement) enter(document.documentElement)
  while (stack.length > 0) {
    const top = stack[stack.length - 1]
    if (isCut || top.at >= top.nodes.length) {
      parts.push(top.end)
      stack.pop()
      continue
    }
    const node = top.nodes[top.at++]
    if (node.nodeType === 1) enter(node)
    else if (node.nodeType === 3 || node.nodeType === 4) addText(node.data)
  }
  return { html: parts.join(''), title: document.title, url: document.URL, isCut, contentType: document.contentType }
}`
