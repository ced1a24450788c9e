// A terminal on the page (xterm.js), which shows events of a terminal stream and reports what a person types. A part of
// the page of its own, loaded when a terminal is opened (use-job-terminal.ts). Works under the policy of the page,
// which forbids inline styles. Changes the document below the given element, and adopts style sheets.

import { Terminal } from '@xterm/xterm'

import type { TerminalEvent } from '../../view.js'

const MIN_FONT_SIZE = 9
const MAX_FONT_SIZE = 14
/** Width of a character of common fonts, in font sizes. */
const CHARACTER_WIDTH = 0.61
const SCROLLBACK = 2000
const THEME = { background: '#101418', foreground: '#e8ebef', cursor: '#55d0b6', selectionBackground: '#3b5a70' }

export interface DisplayOptions {
  /** Accessible name of what is typed into. */
  readonly label: string
  /** Announced instead of output that is too long to be read aloud. */
  readonly tooMuchOutput: string
  readonly onInput: (text: string) => void
  /** The key that leaves the terminal was pressed. */
  readonly onLeave: () => void
}

export interface TerminalDisplay {
  /** Resolves when it is drawn. */
  show(event: TerminalEvent): Promise<void>
  focus(): void
  dispose(): void
}

export async function openTerminalDisplay(parent: HTMLElement, options: DisplayOptions): Promise<TerminalDisplay> {
  await loadStyle()
  Terminal.strings.promptLabel = options.label
  Terminal.strings.tooMuchOutput = options.tooMuchOutput
  const terminal = new Terminal({
    scrollback: SCROLLBACK,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: MAX_FONT_SIZE,
    theme: THEME,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    // No program may open an address.
    linkHandler: { activate: () => {} },
  })
  const removeStyles = openWithAdoptedStyles(terminal, parent)
  let hasEnded = false
  terminal.attachCustomKeyEventHandler((event) => !hasEnded && isForProgram(event, options.onLeave))
  terminal.onData((text) => {
    if (!hasEnded) options.onInput(text)
  })
  const fit = (): void => {
    const size = Math.floor((2 * parent.clientWidth) / (terminal.cols * CHARACTER_WIDTH)) / 2
    terminal.options.fontSize = Math.max(MIN_FONT_SIZE, Math.min(MAX_FONT_SIZE, size))
  }
  const observer = new ResizeObserver(fit)
  observer.observe(parent)
  return {
    show({ isReset, cols, rows, text, isLast }) {
      if (isReset) terminal.reset()
      if (terminal.cols !== cols || terminal.rows !== rows) {
        terminal.resize(cols, rows)
        fit()
      }
      hasEnded = isLast
      if (isLast) terminal.options.cursorInactiveStyle = 'none'
      return new Promise((resolve) => terminal.write(text, resolve))
    },
    focus: () => terminal.focus(),
    dispose() {
      observer.disconnect()
      terminal.dispose()
      removeStyles()
    },
  }
}

/** The browser handles what is not: Ctrl+V pastes, and Ctrl+] leaves the terminal, which takes every other key. */
function isForProgram(event: KeyboardEvent, leave: () => void): boolean {
  const isControl = event.ctrlKey && !event.metaKey
  if (isControl && (event.key === ']' || event.code === 'BracketRight')) {
    event.preventDefault()
    if (event.type === 'keydown') leave()
    return false
  }
  return !(isControl && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'v')
}

let style: Promise<void> | undefined

function loadStyle(): Promise<void> {
  return (style ??= new Promise((resolve) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = 'terminal.css'
    link.addEventListener('load', () => resolve())
    link.addEventListener('error', () => resolve())
    document.head.append(link)
  }))
}

/**
 * The library writes rules into style elements, which the policy of the page blocks. While it opens, it gets elements
 * that put them into style sheets of the document instead. Returns a function that removes these.
 */
function openWithAdoptedStyles(terminal: Terminal, parent: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = []
  const createElement = document.createElement.bind(document)
  const create = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name !== 'style') return createElement(name, options)
    const sheet = new CSSStyleSheet()
    sheets.push(sheet)
    return createRuleElement(createElement('span'), sheet)
  }
  Object.defineProperty(document, 'createElement', { value: create, configurable: true })
  try {
    terminal.open(parent)
  } finally {
    Reflect.deleteProperty(document, 'createElement')
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets]
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet))
  }
}

function createRuleElement(element: HTMLElement, sheet: CSSStyleSheet): HTMLElement {
  element.hidden = true
  Object.defineProperty(element, 'textContent', {
    set(rules: string) {
      sheet.replaceSync(rules)
    },
  })
  return element
}

// Colours that are not in the palette are set as the attribute `style`, which the policy blocks; as a property it is allowed.
Object.defineProperty(HTMLSpanElement.prototype, 'setAttribute', {
  value(this: HTMLSpanElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value
    else Element.prototype.setAttribute.call(this, name, value)
  },
})
