// Compares version numbers. Used by bubblewrap, sqlite-loader and the doctor, where an installed program or library may
// be too old. Pure.

export function isOlderVersion(version: string, than: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [at, other] of than.split('.').map(Number).entries()) {
    const part = parts[at] ?? 0
    if (part !== other) return !(part > other)
  }
  return false
}
