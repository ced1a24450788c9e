// Keeps the head and the tail of an output and counts the rest, so that no command can fill the memory.

export interface Captured {
  readonly text: string
  readonly omittedBytes: number
}

export interface Capture {
  add(chunk: Buffer): void
  take(): Captured
}

export function createCapture(maxBytes: number): Capture {
  const maxHead = Math.floor(maxBytes / 2)
  const maxTail = maxBytes - maxHead
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let dropped = 0

  function add(chunk: Buffer): void {
    const room = maxHead - headBytes
    if (room > 0) {
      head.push(chunk.subarray(0, room))
      headBytes += Math.min(room, chunk.length)
    }
    if (chunk.length <= room) return
    tail.push(chunk.subarray(Math.max(room, 0)))
    tailBytes += chunk.length - Math.max(room, 0)
    for (let first = tail[0]; first && tailBytes - first.length >= maxTail; first = tail[0]) {
      tail.shift()
      tailBytes -= first.length
      dropped += first.length
    }
  }

  function take(): Captured {
    const rest = Buffer.concat(tail)
    const excess = Math.max(rest.length - maxTail, 0)
    const omitted = dropped + excess
    if (omitted === 0) return { text: Buffer.concat([...head, rest]).toString(), omittedBytes: 0 }
    const before = withoutBrokenEnd(Buffer.concat(head))
    const after = withoutBrokenStart(rest.subarray(excess))
    const omittedBytes = omitted + headBytes - before.length + (rest.length - excess - after.length)
    const gap = `\n[${omittedBytes} bytes left out here]\n`
    return { text: before.toString() + gap + after.toString(), omittedBytes }
  }

  return { add, take }
}

// A UTF-8 character is at most four bytes: one that was cut is completed by none of the last three.
function withoutBrokenEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let skip = 0
  while (skip < Math.min(3, bytes.length) && isContinuation(bytes[skip] ?? 0)) skip++
  return bytes.subarray(skip)
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}
