// How each part of a page is put into characters: as Markdown, or as plain text of the same structure.

export interface Style {
  /** Running text, so that nothing in it is taken for markup. */
  text(text: string): string
  /** A whole paragraph, whose beginning may look like markup. */
  paragraph(text: string): string
  heading(level: number, text: string): string
  strong(text: string): string
  emphasis(text: string): string
  strike(text: string): string
  code(text: string): string
  link(text: string, address: string): string
  image(alt: string, address: string): string
  math(tex: string, isDisplay: boolean): string
  superscript(text: string): string
  subscript(text: string): string
  codeBlock(code: string, language: string): string
  quote(text: string): string
  callout(kind: string, title: string, text: string): string
  footnoteMark(label: string): string
  footnote(label: string, text: string): string
  table(rows: readonly (readonly string[])[], hasHeader: boolean): string
  /** Between paragraphs within a cell. */
  readonly cellBreak: string
  readonly lineBreak: string
  readonly rule: string
}
