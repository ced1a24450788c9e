// Reads the text of a code block without line numbers and buttons, and its language; also recognizes buttons of the page.
// Used by the writers. Pure.

import { type DomElement, type DomNode, getAttribute, isElement, isTextNode, singleLineText } from '../dom/tree.js'
import { trimLineEnds } from '../dom/trim-text.js'

const LINE_NUMBER_CLASSES =
  /(?:^|[\s_-])(?:line-?numbers?(?:-rows)?|linenos?|linenumber|gutter|ln|lnt|lnum|ln-num|hljs-ln-n(?:umbers)?|blob-num|code-line-number|react-syntax-highlighter-line-number)(?:$|[\s_-])/i
const TOOLBAR_CLASSES =
  /(?:^|[\s_-])(?:copy|copybtn|clipboard|copy-button|toolbar|code-header|filename-copy)(?:$|[\s_-])/i
const LINE_CLASSES = /(?:^|\s)(?:line|code-line|cl|view-line|hljs-ln-line|token-line|CodeMirror-line)(?:$|\s)/
const LINE_TAGS = new Set(['div', 'p', 'li', 'tr', 'br', 'pre'])

export function codeText(element: DomElement): string {
  const parts: string[] = []
  for (const child of element.children) collectText(child, parts)
  const lines = trimLineEnds(parts.join('').replaceAll('\r\n', '\n').replaceAll('\u00A0', ' '))
  return stripPrompts(lines.replace(/^[ \t\n]*\n/, '').trimEnd())
}

function collectText(node: DomNode, parts: string[]): void {
  if (isTextNode(node) && node.data !== '') parts.push(node.data)
  if (!isElement(node) || isCodeDecoration(node)) return
  if (node.name === 'br') {
    parts.push('\n')
    return
  }
  const isLine = LINE_TAGS.has(node.name) || LINE_CLASSES.test(getAttribute(node, 'class'))
  if (isLine && parts.at(-1)?.endsWith('\n') === false) parts.push('\n')
  for (const child of node.children) collectText(child, parts)
}

/** Buttons such as "Copy" or "Share". */
export function isUiButton(element: DomElement): boolean {
  return (
    element.name === 'button' &&
    /^(?:copy(?: code| link| to clipboard)?|copied!?|edit|share|print|save|close|search|menu|expand|collapse|play|pause|next|previous|open|toggle\b.*)?$/i.test(
      singleLineText(element),
    )
  )
}

/** Line numbers, toolbars and buttons of a code block. */
export function isCodeDecoration(element: DomElement): boolean {
  if (element.name === 'button' || 'data-line-number' in element.attribs) return true
  const name = getAttribute(element, 'class')
  return (
    name !== '' &&
    (LINE_NUMBER_CLASSES.test(name) || TOOLBAR_CLASSES.test(name)) &&
    !/(?:^|\s)(?:hljs|highlight|language-\S+|code)(?:\s|$)/.test(name)
  )
}

/** Removes prompts if every line has one; otherwise they distinguish commands from output. */
function stripPrompts(code: string): string {
  const lines = code.split('\n')
  return lines.every((line) => line.startsWith('$ ') || line.trim() === '')
    ? lines.map((line) => line.replace(/^\$ /, '')).join('\n')
    : code
}

const LANGUAGE_CLASS =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|code|prism|src|syntax)-|brush:\s*|sourceCode\s+)([a-z][\w+#.-]{0,24})(?=[\s;]|$)/i
const NON_LANGUAGES =
  /^(?:highlight|default|none|plain(?:text)?|text|txt|block|wrapper|container|body|content|toolbar|line|lines|copy|code|notranslate|numberlines?|nohighlight|undefined|raw|sample|snippet|example|box|area|inner|group|tabs?|listing|view|editor|source)$/i
const LANGUAGE_ALIASES = new Map(
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

/** Declared by the code element, the `pre` or their parents; '' if unknown. */
export function codeLanguage(pre: DomElement): string {
  const inner = pre.children.find((child) => isElement(child) && child.name === 'code')
  const outer = [pre.parent, pre.parent?.parent ?? null]
    .filter((node) => isElement(node))
    .filter(({ children }) => hasFewElements(children))
  for (const element of [inner, pre, ...outer]) {
    const language = element !== undefined && isElement(element) ? declaredLanguage(element) : ''
    if (language !== '') return LANGUAGE_ALIASES.get(language) ?? language
  }
  return ''
}

/** Stops counting early, because many code blocks may share one parent. */
function hasFewElements(children: readonly DomNode[]): boolean {
  let elements = 0
  return children.every((child) => !isElement(child) || ++elements <= 3)
}

function declaredLanguage(element: DomElement): string {
  for (const name of ['data-lang', 'data-language', 'data-code-lang', 'lang', 'language']) {
    const language = getAttribute(element, name).trim().toLowerCase()
    // `lang` may be a natural language.
    if (
      /^[a-z][\w+#.-]{0,24}$/.test(language) &&
      !NON_LANGUAGES.test(language) &&
      !(name === 'lang' && /^[a-z]{2}(?:-|$)/.test(language))
    )
      return language
  }
  const classes = getAttribute(element, 'class').slice(0, 500)
  for (let rest = classes; rest !== '';) {
    const match = LANGUAGE_CLASS.exec(rest)
    if (match === null) return ''
    const language = (match[1] ?? '').toLowerCase()
    if (!NON_LANGUAGES.test(language)) return language
    rest = rest.slice(match.index + match[0].length)
  }
  return ''
}
