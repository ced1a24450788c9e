export function compare(file: string, translated: string, english: string, language?: { rtl?: boolean }): string[]
