// A moment as part of the name of a file: 20260728-093000. In order of their names, files are in order of time.

export function compactTime(moment: Date): string {
  return moment
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '-')
}
