export const MARGIN_MS: number

export interface FailureOfCall {
  readonly subject: string
  readonly needs: readonly string[]
  readonly since: number
  readonly endedAt: number
  readonly words: string
}

export interface FaultTime {
  readonly subject: string
  readonly kind: string
  readonly touches: readonly string[]
  readonly says: RegExp
  readonly startedAt: number
  readonly endedAt: number
}

export function attributeFailures<T extends FailureOfCall>(
  failures: readonly T[],
  faults: readonly FaultTime[],
): { own: (T & { fault: string })[]; others: (T & { near: string[] })[] }
