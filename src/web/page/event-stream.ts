// Parses server-sent events from text chunks that may be split anywhere, and returns the data of complete events. Event
// names, ids and comments are ignored.

export interface EventReader {
  /** Returns the data of the events that this chunk completes. */
  read(piece: string): readonly string[]
}

export function createEventReader(): EventReader {
  let line = ''
  let data: string[] = []
  let afterReturn = false

  const endLine = (found: string[]): void => {
    if (line === '') {
      if (data.length > 0) found.push(data.join('\n'))
      data = []
    } else if (line === 'data' || line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    line = ''
  }

  return {
    read(piece) {
      const found: string[] = []
      let from = 0
      for (const { 0: end, index } of piece.matchAll(/\r\n?|\n/g)) {
        // The CR at the end of the previous chunk already ended the line.
        const isOtherHalf = afterReturn && index === 0 && end === '\n'
        if (!isOtherHalf) {
          line += piece.slice(from, index)
          endLine(found)
        }
        from = index + end.length
      }
      if (piece !== '') afterReturn = piece.endsWith('\r')
      line += piece.slice(from)
      return found
    },
  }
}
