// Parses server-sent events from text chunks that may be split anywhere, and returns the data of complete events. Event
// names, ids and comments are ignored.

export interface SseParser {
  /** Returns the data of the events that this chunk completes. */
  push(chunk: string): readonly string[]
}

export function createSseParser(): SseParser {
  let line = ''
  let data: string[] = []
  let afterCarriageReturn = false

  const endLine = (events: string[]): void => {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'))
      data = []
    } else if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    line = ''
  }

  return {
    push(chunk) {
      const events: string[] = []
      let from = 0
      for (const { 0: end, index } of chunk.matchAll(/\r\n?|\n/g)) {
        // The CR at the end of the previous chunk already ended the line.
        const isRestOfCrLf = afterCarriageReturn && index === 0 && end === '\n'
        if (!isRestOfCrLf) {
          line += chunk.slice(from, index)
          endLine(events)
        }
        from = index + end.length
      }
      if (chunk !== '') afterCarriageReturn = chunk.endsWith('\r')
      line += chunk.slice(from)
      return events
    },
  }
}
