// The sandbox levels, from no restriction to the strictest.

export type SandboxLevel = 'off' | ActiveSandboxLevel

/**
 * `read-only` may read everything except secrets and write nothing that persists; `workspace` may also write to the
 * project; `strict` is `workspace` without a network, and may read only the project and the system.
 */
export type ActiveSandboxLevel = 'read-only' | 'workspace' | 'strict'
