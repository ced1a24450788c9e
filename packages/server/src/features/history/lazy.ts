// What code that is itself loaded on demand may use of the feature `history`. Imported by the console. Re-exports only.

export { buildCallView, buildRunningDetails, type CallSource } from './build-call-details.js'
export { createCallSource, type EnteredSecrets } from './open-call-recorder.js'
export { createCallHistory, formatPosition, isBefore, parsePosition, toPosition } from './call-history.js'
export { redactTokens } from './redact-tokens.js'
export type { CallPosition } from './call-table.js'
