// What the command prints, and how it is stopped. Text of the server under development is printed without control
// characters. Used by run-dev.ts and main.ts.

import { escapeUnsafe } from '@scorpiox/mcp/log'

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Prints a line, or several. */
export function printLine(text: string): void {
  process.stdout.write(`${escapeUnsafe(text)}\n`)
}

export function printErrorLine(text: string): void {
  process.stderr.write(`${escapeUnsafe(text)}\n`)
}

/** Prints a line with the time of day in front. */
export function printTimed(text: string): void {
  printLine(`${new Date().toTimeString().slice(0, 8)} ${text}`)
}

/** Resolves at the first stop signal. The second one ends the process at once, if stopping hangs. */
export function waitForStop(): Promise<void> {
  // A terminal that is gone is no reason to leave the server running.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  return new Promise((resolve) => {
    let isStopping = false
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        if (isStopping) process.exit(1)
        isStopping = true
        resolve()
      })
    }
  })
}
