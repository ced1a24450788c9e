// How long clients wait for the result of a call. Results that tell a model to wait for a command name a time that its
// client allows. Used by the shell service. Pure.

/** The official SDK for TypeScript ends a call after 60 s, and so do clients that are built on it. */
const DEFAULT_WAIT_MS = 50_000

/** For clients that waited for 130 s without a setting of their own (`npm run judge agents`). */
const PATIENT_WAIT_MS = 120_000

/** By the prefix of their `clientInfo` name. Not Cline, which ends a call after 60 s where no setting says otherwise. */
const PATIENT_CLIENTS = ['claude-code', 'codex', 'gemini', 'opencode', 'github-copilot', 'copilot', 'qwen']

/** How long one call of this client may wait, in milliseconds. */
export function maxWaitMs(client: string): number {
  const name = client.toLowerCase()
  return PATIENT_CLIENTS.some((known) => name.startsWith(known)) ? PATIENT_WAIT_MS : DEFAULT_WAIT_MS
}
