// File names made of timestamps and hashes. A timestamp looks like 20260728-093000, so that files sorted by name are in
// order of time.

export function compactTime(date: Date): string {
  return date
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
}
