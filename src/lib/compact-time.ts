// A timestamp for file names: 20260728-093000. Files sorted by name are in order of time.

export function compactTime(date: Date): string {
  return date
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
}
