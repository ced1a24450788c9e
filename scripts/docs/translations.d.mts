export function composePages(
  facts: { tools: readonly object[]; options: readonly object[]; peers: object },
  read?: (file: string) => string | undefined,
): { files: Map<string, string>; problems: string[] }
