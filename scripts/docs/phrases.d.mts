export function wrongPhrases(file: string, text: string, language: { code: string }): string[]
export function allWrongPhrases(read: (file: string) => string | undefined): string[]
