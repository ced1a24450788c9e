export type PageRecord = Readonly<Record<string, readonly string[]>>
export type StringRecord = Readonly<Record<string, string>>

export function recordPage(english: string): PageRecord
export function recordStrings(values: Readonly<Record<string, unknown>>): StringRecord
export function stalePage(file: string, translated: string, english: string, record?: PageRecord): string[]
export function staleStrings(
  file: string,
  text: string,
  values: Readonly<Record<string, unknown>>,
  record?: StringRecord,
): string[]
