// Writes log lines to stderr, never to stdout. Lines are dropped, and counted, while stderr is blocked. This is the
// only writer of stderr; code that writes lines in another format uses createStderrWriter. Created by main.ts of the
// app or by the library, passed on as a parameter. Messages contain text of others: no control character leaves this
// file, and a line break in a message does not begin a line of the log.

const LEVELS = ['error', 'warn', 'info', 'debug'] as const
const MAX_PENDING_BYTES = 1024 * 1024
// Terminals obey control characters, and direction marks reorder a line.
// oxlint-disable-next-line no-control-regex -- faster than \p{Cc}, and every request is logged
const UNSAFE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/

type LogThreshold = (typeof LEVELS)[number]

export type Log = { readonly [L in LogThreshold]: (message: string) => void }

/** `name` is the prefix of each line: a client shows the logs of many servers. */
export function createLog(name: string, threshold: LogThreshold): Log {
  const writeText = createStderrWriter((dropped) => `${name}: warn: ${dropped} log lines were dropped\n`)
  const write = (level: LogThreshold, message: string): void => {
    if (LEVELS.indexOf(level) <= LEVELS.indexOf(threshold))
      writeText(`${name}: ${level}: ${message.replaceAll('\n', '\n    ')}\n`)
  }
  return {
    error: (message) => write('error', message),
    warn: (message) => write('warn', message),
    info: (message) => write('info', message),
    debug: (message) => write('debug', message),
  }
}

let hasErrorHandler = false

/** Writes whole lines to stderr. After some were dropped, `sayLost` formats the line that reports how many. */
export function createStderrWriter(formatDropped: (dropped: number) => string): (text: string) => void {
  let dropped = 0
  return (text) => {
    // A client may close stderr; the server continues. One handler for all servers of a process.
    if (!hasErrorHandler) process.stderr.on('error', () => {})
    hasErrorHandler = true
    if (process.stderr.writableLength > MAX_PENDING_BYTES) {
      dropped++
      return
    }
    const droppedLine = dropped > 0 ? formatDropped(dropped) : ''
    dropped = 0
    process.stderr.write(droppedLine + escapeUnsafe(text))
  }
}

/** As in JSON, so that lines of JSON keep their meaning. */
export function escapeUnsafe(text: string): string {
  if (!UNSAFE.test(text)) return text
  return text.replace(new RegExp(UNSAFE, 'g'), (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Formats a thrown value for the log, with its stack, which clients never see. */
export function formatErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
