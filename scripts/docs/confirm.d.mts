type Read = (file: string) => string | undefined

export function staleTranslations(read: Read): Promise<string[]>
export function confirm(
  target: string,
  part: string | undefined,
  read: Read,
): Promise<{ files: Map<string, string>; problems: string[] }>
