// The log: one line a message on stderr, never on stdout. Lines are dropped, and counted, while nobody reads them.
// The door to stderr; whoever writes lines of another form there is handed a writer from here.

const LEVELS = ['error', 'warn', 'info', 'debug'] as const
const MAX_PENDING_BYTES = 1024 * 1024

export type Level = (typeof LEVELS)[number]

export type Log = { readonly [L in Level]: (message: string) => void }

/** `name` stands before each line: a client shows the logs of many servers. */
export function createLog(name: string, threshold: Level): Log {
  const writeText = createErrorWriter((dropped) => `${name}: warn: ${dropped} log lines were dropped\n`)
  const write = (level: Level, message: string): void => {
    if (LEVELS.indexOf(level) <= LEVELS.indexOf(threshold)) writeText(`${name}: ${level}: ${message}\n`)
  }
  return {
    error: (message) => write('error', message),
    warn: (message) => write('warn', message),
    info: (message) => write('info', message),
    debug: (message) => write('debug', message),
  }
}

/** Writes whole lines to stderr. After some were dropped, `sayLost` makes the line that tells how many writes were. */
export function createErrorWriter(sayLost: (dropped: number) => string): (text: string) => void {
  let dropped = 0
  let guarded = false
  return (text) => {
    // A client may close our stderr; that is no reason to end.
    if (!guarded) process.stderr.on('error', () => {})
    guarded = true
    if (process.stderr.writableLength > MAX_PENDING_BYTES) {
      dropped++
      return
    }
    const lost = dropped > 0 ? sayLost(dropped) : ''
    dropped = 0
    process.stderr.write(lost + text)
  }
}

/** What the log says of something thrown: the stack, which no client ever sees. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
