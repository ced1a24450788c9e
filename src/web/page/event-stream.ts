// Reads server-sent events from text that comes in pieces cut anywhere, and gives back the data of each whole event.
// Names, ids and comments are skipped: here every event means the same.

export interface EventReader {
  /** The data of the events that this piece completes. */
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
        // CR ended the line already; this LF is its other half, in the next piece.
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
