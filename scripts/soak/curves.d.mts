export function ticksUpTo(most: number): number[]
