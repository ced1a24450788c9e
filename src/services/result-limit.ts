// How long a result may be so that a client passes it to its model whole. Several clients cut tool results in a way of
// their own, and what they cut away is the end, or the sentence that says where the rest is.

/** For clients that are not known to cut results. */
const DEFAULT_RESULT_CHARACTERS = 30_000

/** Clients that cut results, by the beginning of the name in their `clientInfo`. Measured by `npm run judge agents`. */
const LIMITS: readonly (readonly [client: string, characters: number])[] = [
  ['codex', 9000],
  ['opencode', 8000],
  ['github-copilot', 8000],
  ['copilot', 8000],
  ['qwen', 6000],
  ['cline', 7000],
]

/** Characters of text that a result for this client may have. */
export function resultCharactersFor(client: string): number {
  const name = client.toLowerCase()
  return LIMITS.find(([known]) => name.startsWith(known))?.[1] ?? DEFAULT_RESULT_CHARACTERS
}
