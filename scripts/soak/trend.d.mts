export interface Sample {
  readonly at: number
  readonly value: number
}

export interface Trend {
  readonly growth: number
  readonly median: number
  readonly slope?: number
  readonly seconds?: number
  readonly isGrowing: boolean
}

export function judgeTrend(samples: readonly Sample[], limits?: { share?: number; least?: number }): Trend
export function theilSenSlope(points: readonly Sample[]): number
export function median(values: readonly number[]): number
