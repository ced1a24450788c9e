export const PACKAGE_PAGES: readonly string[]
export function copyPackageDocs(from: string, to: string): Promise<void>
