// Describes how a command exited and what to do next, in one or two sentences.

export interface Ended {
  readonly exitCode: number | null
  readonly signal: string | null
}

/** Empty for exit code 0. */
export function endingOf({ exitCode, signal }: Ended, hasOutput: boolean): readonly string[] {
  if (exitCode === 0) return []
  if (exitCode === null) return ['Exit status unknown; it may have completed: check before you repeat it.']
  if (signal !== null) return [`Exit code ${exitCode}: ended by ${signal}. ${aboutSignal(signal)}`]
  return [`Exit code ${exitCode}.${aboutCode(exitCode, hasOutput)}`]
}

function aboutSignal(signal: string): string {
  if (signal === 'SIGKILL') return 'It was killed, perhaps because memory ran out: try less at once.'
  if (['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGABRT'].includes(signal))
    return 'The program crashed: what it printed last may say where.'
  if (signal === 'SIGPIPE') return 'The program that read its output ended first.'
  return 'Another process ended it: check what it did before you repeat it.'
}

function aboutCode(exitCode: number, hasOutput: boolean): string {
  if (exitCode === 127) return ' A program was not found: check its name, or install it.'
  if (exitCode === 126) return ' A file could not be executed: check its permissions.'
  return hasOutput ? '' : ' No output: grep, diff and test report "no" this way; otherwise `set -x` shows what fails.'
}
