// The size of a terminal, and the one that jobs get by default. A module of its own, because the start of the program loads
// it through the index of this feature, and terminal.ts starts programs. Used within this feature and by the console. Pure.

export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

export const DEFAULT_SIZE: TerminalSize = { cols: 80, rows: 24 }
