export function brokenLinks(files: readonly string[]): string[]
