// Syntax of an output format: how each kind of element is written.

export interface Style {
  /** Escapes running text. */
  readonly text: (text: string) => string
  /** Escapes the start of a paragraph, which may look like markup. */
  readonly paragraph: (text: string) => string
  readonly heading: (level: number, text: string) => string
  readonly strong: (text: string) => string
  readonly emphasis: (text: string) => string
  readonly strike: (text: string) => string
  readonly code: (text: string) => string
  readonly link: (text: string, address: string) => string
  readonly image: (alt: string, address: string) => string
  readonly math: (tex: string, isDisplay: boolean) => string
  readonly superscript: (text: string) => string
  readonly subscript: (text: string) => string
  readonly codeBlock: (code: string, language: string) => string
  readonly quote: (text: string) => string
  readonly callout: (kind: string, title: string, text: string) => string
  readonly footnoteMark: (label: string) => string
  readonly footnote: (label: string, text: string) => string
  readonly table: (rows: readonly (readonly string[])[], hasHeader: boolean) => string
  /** Between paragraphs in a table cell. */
  readonly cellBreak: string
  readonly lineBreak: string
  readonly rule: string
}
