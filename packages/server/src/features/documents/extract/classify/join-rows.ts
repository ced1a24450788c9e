// Joins the feature rows of several modules, because a model reads one row per block.

export function joinRows(...parts: readonly (readonly Float64Array[])[]): Float64Array[] {
  const [first = []] = parts
  const width = parts.reduce((sum, rows) => sum + (rows[0]?.length ?? 0), 0)
  return first.map((_, at) => {
    const joined = new Float64Array(width)
    let offset = 0
    for (const rows of parts) {
      const row = rows[at] ?? new Float64Array(0)
      joined.set(row, offset)
      offset += row.length
    }
    return joined
  })
}
