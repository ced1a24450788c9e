// Maximum length of a tool result by MCP client. Several clients truncate longer results, and with them the sentence
// that says how to read the rest. Used by Bash and ReadDocs. Pure.

/** For clients that are not known to truncate results. */
const DEFAULT_RESULT_CHARACTERS = 30_000

/** Clients that truncate results, by the prefix of their `clientInfo` name. Measured by `npm run judge agents`. */
const LIMITS: readonly (readonly [client: string, characters: number])[] = [
  ['codex', 9000],
  ['opencode', 8000],
  ['github-copilot', 8000],
  ['copilot', 8000],
  ['qwen', 6000],
  ['cline', 7000],
]

/** The maximum number of characters of a result for this client. */
export function maxResultCharacters(client: string): number {
  const name = client.toLowerCase()
  for (const [known, characters] of LIMITS) if (name.startsWith(known)) return characters
  return DEFAULT_RESULT_CHARACTERS
}
