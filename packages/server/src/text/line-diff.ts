// Compares two texts line by line, for the previews of `install` and for changed plans. Time and memory are bounded:
// where too many lines differ, all lines between the first and the last difference count as replaced. Pure.

export interface DiffLine {
  readonly mark: '+' | '-' | ' '
  readonly text: string
}

const MAX_CELLS = 1_000_000
const MAX_LINES = 20_000

/** All lines of both texts, in order; undefined if there are too many. */
export function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const [old, current] = [splitLines(before), splitLines(after)]
  if (old.length + current.length > MAX_LINES) return undefined
  const shorter = Math.min(old.length, current.length)
  let start = 0
  while (start < shorter && old[start] === current[start]) start++
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === current.at(-1 - end)) end++
  return [
    ...withMark(' ', old.slice(0, start)),
    ...diffMiddle(old.slice(start, old.length - end), current.slice(start, current.length - end)),
    ...withMark(' ', old.slice(old.length - end)),
  ]
}

/** Leaves out unchanged lines that are more than `context` lines from a change; undefined marks a gap. */
export function foldUnchanged(lines: readonly DiffLine[], context: number): readonly (DiffLine | undefined)[] {
  const isShown = new Uint8Array(lines.length)
  for (const [index, { mark }] of lines.entries())
    if (mark !== ' ') isShown.fill(1, Math.max(0, index - context), index + context + 1)
  return lines.flatMap((line, index) => {
    if (isShown[index] === 1) return [line]
    return index === 0 || isShown[index - 1] === 1 ? [undefined] : []
  })
}

/** A final line break ends the last line and does not begin another one. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Longest common subsequence. */
function diffMiddle(old: readonly string[], current: readonly string[]): readonly DiffLine[] {
  const width = current.length + 1
  if ((old.length + 1) * width > MAX_CELLS) return [...withMark('-', old), ...withMark('+', current)]
  const lengths = commonLengths(old, current)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < current.length) {
    const [oldText, text] = [old[i], current[j]]
    if (oldText !== undefined && oldText === text) {
      lines.push({ mark: ' ', text })
      i++
      j++
    } else if (
      oldText !== undefined &&
      (text === undefined || (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      lines.push({ mark: '-', text: oldText })
      i++
    } else if (text !== undefined) {
      lines.push({ mark: '+', text })
      j++
    }
  }
  return lines
}

/** At `i * (current.length + 1) + j`: the length of the longest common subsequence of the lines from i and j on. */
function commonLengths(old: readonly string[], current: readonly string[]): Uint32Array {
  const width = current.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = current.length - 1; j >= 0; j--) {
      const isSame = old[i] === current[j]
      lengths[i * width + j] = isSame
        ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
    }
  }
  return lengths
}

function withMark(mark: DiffLine['mark'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }))
}
