// How much a command may do, from everything to next to nothing.

export type Level = 'off' | CageLevel

/**
 * `read-only` may read all but secrets and write nothing that lasts; `workspace` may write to the project too; `strict`
 * is that without a network and with nothing to read but the project and the system.
 */
export type CageLevel = 'read-only' | 'workspace' | 'strict'
