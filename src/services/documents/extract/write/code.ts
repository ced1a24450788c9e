// Code as its author wrote it: every line, no line numbers, no buttons; and the language, where the page says it.

import { withoutBlankEnds } from '../ends.js'
import { attribute, isElement, isText, plainText, type Element, type Node } from '../tree.js'

const NUMBERS =
  /(?:^|[\s_-])(?:line-?numbers?(?:-rows)?|linenos?|linenumber|gutter|ln|lnt|lnum|ln-num|hljs-ln-n(?:umbers)?|blob-num|code-line-number|react-syntax-highlighter-line-number)(?:$|[\s_-])/i
const TOOLS = /(?:^|[\s_-])(?:copy|copybtn|clipboard|copy-button|toolbar|code-header|filename-copy)(?:$|[\s_-])/i
const LINE = /(?:^|\s)(?:line|code-line|cl|view-line|hljs-ln-line|token-line|CodeMirror-line)(?:$|\s)/
const LINES = new Set(['div', 'p', 'li', 'tr', 'br', 'pre'])

export function codeText(element: Element): string {
  const written: string[] = []
  for (const child of element.children) write(child, written)
  const lines = withoutBlankEnds(written.join('').replaceAll('\r\n', '\n').replaceAll('\u00A0', ' '))
  return withoutPrompts(lines.replace(/^[ \t\n]*\n/, '').trimEnd())
}

function write(node: Node, written: string[]): void {
  if (isText(node) && node.data !== '') written.push(node.data)
  if (!isElement(node) || isLitter(node)) return
  if (node.name === 'br') {
    written.push('\n')
    return
  }
  const isLine = LINES.has(node.name) || LINE.test(attribute(node, 'class'))
  if (isLine && written.at(-1)?.endsWith('\n') === false) written.push('\n')
  for (const child of node.children) write(child, written)
}

/** What stands beside the text for people who want to take it along. */
export function isTool(element: Element): boolean {
  return (
    element.name === 'button' &&
    /^(?:copy(?: code| link| to clipboard)?|copied!?|edit|share|print|save|close|search|menu|expand|collapse|play|pause|next|previous|open|toggle\b.*)?$/i.test(
      plainText(element),
    )
  )
}

/** What is on the page for people who look at code or want to take it along. */
export function isLitter(element: Element): boolean {
  if (element.name === 'button' || 'data-line-number' in element.attribs) return true
  const name = attribute(element, 'class')
  return (
    name !== '' &&
    (NUMBERS.test(name) || TOOLS.test(name)) &&
    !/(?:^|\s)(?:hljs|highlight|language-\S+|code)(?:\s|$)/.test(name)
  )
}

/** A prompt before every line says nothing; before some, it tells commands from what they print. */
function withoutPrompts(code: string): string {
  const lines = code.split('\n')
  return lines.every((line) => line.startsWith('$ ') || line.trim() === '')
    ? lines.map((line) => line.replace(/^\$ /, '')).join('\n')
    : code
}

const LANGUAGE =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|code|prism|src|syntax)-|brush:\s*|sourceCode\s+)([a-z][\w+#.-]{0,24})(?=[\s;]|$)/i
const NOT_A_LANGUAGE =
  /^(?:highlight|default|none|plain(?:text)?|text|txt|block|wrapper|container|body|content|toolbar|line|lines|copy|code|notranslate|numberlines?|nohighlight|undefined|raw|sample|snippet|example|box|area|inner|group|tabs?|listing|view|editor|source)$/i
const ALIASES = new Map(
  Object.entries({
    shell: 'sh',
    'shell-session': 'console',
    javascript: 'js',
    typescript: 'ts',
    py: 'python',
    py3: 'python',
    python3: 'python',
    ipython3: 'python',
    'c++': 'cpp',
    golang: 'go',
    yml: 'yaml',
    rb: 'ruby',
    rs: 'rust',
  }),
)

/** Said at the code, at what is around it, or at what is in it; '' where nothing is said. */
export function codeLanguage(pre: Element): string {
  const inner = pre.children.find((child) => isElement(child) && child.name === 'code')
  const outer = [pre.parent, pre.parent?.parent ?? null]
    .filter((node) => isElement(node))
    .filter(({ children }) => holdsFew(children))
  for (const element of [inner, pre, ...outer]) {
    const said = element !== undefined && isElement(element) ? saidBy(element) : ''
    if (said !== '') return ALIASES.get(said) ?? said
  }
  return ''
}

/** Counted no further than it takes: of much code on one page, each piece asks the same parent. */
function holdsFew(children: readonly Node[]): boolean {
  let elements = 0
  return children.every((child) => !isElement(child) || ++elements <= 3)
}

function saidBy(element: Element): string {
  for (const name of ['data-lang', 'data-language', 'data-code-lang', 'lang', 'language']) {
    const said = attribute(element, name).trim().toLowerCase()
    // `lang` may also be the tongue of the page.
    if (
      /^[a-z][\w+#.-]{0,24}$/.test(said) &&
      !NOT_A_LANGUAGE.test(said) &&
      !(name === 'lang' && /^[a-z]{2}(?:-|$)/.test(said))
    )
      return said
  }
  const names = attribute(element, 'class').slice(0, 500)
  for (let rest = names; rest !== '';) {
    const match = LANGUAGE.exec(rest)
    if (match === null) return ''
    const said = (match[1] ?? '').toLowerCase()
    if (!NOT_A_LANGUAGE.test(said)) return said
    rest = rest.slice(match.index + match[0].length)
  }
  return ''
}
