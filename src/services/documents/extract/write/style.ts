// How each part of a page is put into characters: as Markdown, or as plain text of the same structure.

export interface Style {
  /** Running text, so that nothing in it is taken for markup. */
  readonly text: (text: string) => string
  /** A whole paragraph, whose beginning may look like markup. */
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
  /** Between paragraphs within a cell. */
  readonly cellBreak: string
  readonly lineBreak: string
  readonly rule: string
}
