export function brokenLinks(files: readonly string[]): string[]
export function wrongLanguageLinks(
  file: string,
  text: string,
  page: string,
  language: { code: string; english: string },
): string[]
