export function apiReport(entry: string): string
