// Follows the frames that a server sends over a forwarded WebSocket, so that the machine in between can close it with a
// reason: a close frame may only be sent between two frames. Used by forward-upgrade.ts. No effects.

const CLOSE = 8
const SHORT_HEADER = 2
/** Bytes of a header with a 16-bit or a 64-bit length; a server masks nothing. */
const LONG_HEADERS: Readonly<Record<number, number>> = { 126: 4, 127: 10 }
/** The service restarts: the client may connect again. */
const SERVICE_RESTART = 1012
const MAX_REASON_BYTES = 123

export class ServerFrames {
  /** Whether the server has closed the WebSocket itself. */
  isClosed = false
  #header = Buffer.alloc(0)
  #remaining = 0

  /** Whether what was received ends with a whole frame. */
  get isBetweenFrames(): boolean {
    return this.#remaining === 0 && this.#header.length === 0
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#remaining > 0) {
        const taken = Math.min(this.#remaining, chunk.length - at)
        this.#remaining -= taken
        at += taken
        continue
      }
      const needed = headerLength(this.#header) - this.#header.length
      this.#header = Buffer.concat([this.#header, chunk.subarray(at, at + needed)])
      at += needed
      if (this.#header.length === headerLength(this.#header)) this.#start(this.#header)
    }
  }

  #start(header: Buffer): void {
    if (((header[0] ?? 0) & 0x0f) === CLOSE) this.isClosed = true
    this.#remaining = payloadLength(header)
    this.#header = Buffer.alloc(0)
  }
}

function headerLength(header: Buffer): number {
  const length = (header[1] ?? 0) & 0x7f
  return header.length < SHORT_HEADER ? SHORT_HEADER : (LONG_HEADERS[length] ?? SHORT_HEADER)
}

function payloadLength(header: Buffer): number {
  const length = (header[1] ?? 0) & 0x7f
  if (length === 126) return header.readUInt16BE(2)
  return length === 127 ? Number(header.readBigUInt64BE(2)) : length
}

/** A frame that closes a WebSocket. Of a reason that is too long, the beginning is sent. */
export function createCloseFrame(reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, MAX_REASON_BYTES)
  const frame = Buffer.alloc(4 + text.length)
  frame[0] = 0x80 | CLOSE
  frame[1] = 2 + text.length
  frame.writeUInt16BE(SERVICE_RESTART, 2)
  text.copy(frame, 4)
  return frame
}
