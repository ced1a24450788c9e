// The last lines that the server under development wrote to stderr. Used by inspector.ts. In memory only.

import type { OutputLine } from './view.js'

const MAX_LINES = 1000
const MAX_CHARACTERS = 4000
const TAIL_LINES = 60

export interface OutputLog {
  add(run: number, text: string, isNote: boolean): OutputLine
  lines(): readonly OutputLine[]
  /** The last lines of a run, without notes. */
  tailOf(run: number): string
}

export function createOutputLog(): OutputLog {
  const lines: OutputLine[] = []
  let last = 0
  return {
    add(run, text, isNote) {
      const line = { n: ++last, at: Date.now(), run, isNote, text: text.slice(0, MAX_CHARACTERS) }
      lines.push(line)
      if (lines.length > MAX_LINES) lines.shift()
      return line
    },
    lines: () => lines,
    tailOf(run) {
      const ofRun = lines.filter((line) => line.run === run && !line.isNote)
      return ofRun
        .slice(-TAIL_LINES)
        .map(({ text }) => text)
        .join('\n')
        .trim()
    },
  }
}
