// The messages between the server and the shell launcher; shell-launcher.c describes them. Used by shell-launcher.ts.
// Pure.

export interface StartRequest {
  readonly askpassKey: string
  /** To be open for reading as descriptor 9, or ''. */
  readonly seccompFile: string
  /** Files to which the shell writes 0 first. */
  readonly cgroupFiles: readonly string[]
  readonly argv: readonly string[]
}

type RequestKind = 'S' | 'N' | 'R' | 'D' | 'P' | 'C' | 'Q'
type ReportKind = 'H' | 'S' | 'F' | 'Z' | 'X'

interface ReportHandlers {
  readonly onReport: (kind: ReportKind, number: number, value: number) => void
  /** Output may arrive in any number of parts. */
  readonly onOutput: (number: number, chunk: Buffer) => void
}

const REQUEST_HEADER = 12
const REPORT_HEADER = 16
const MAX_PAYLOAD = 100_000
const MAX_ARGUMENTS = 4000
const MAX_CGROUP_FILES = 9
const REPORT_KINDS: readonly (ReportKind | 'O')[] = ['H', 'S', 'F', 'O', 'Z', 'X']
const KINDS_BY_CODE = new Map(REPORT_KINDS.map((kind) => [kind.charCodeAt(0), kind]))

export function formatRequest(kind: RequestKind, number: number, payload = ''): Buffer {
  const length = Buffer.byteLength(payload)
  const message = Buffer.allocUnsafe(REQUEST_HEADER + length)
  message.writeUInt32LE(kind.charCodeAt(0), 0)
  message.writeUInt32LE(number, 4)
  message.writeUInt32LE(length, 8)
  message.write(payload, REQUEST_HEADER)
  return message
}

/** `S` starts a shell at once, `N` for the next command. Undefined if it is larger than the launcher accepts. */
export function formatStartRequest(
  kind: 'S' | 'N',
  number: number,
  { askpassKey, seccompFile, cgroupFiles, argv }: StartRequest,
): Buffer | undefined {
  const words = [askpassKey, seccompFile, String(cgroupFiles.length), ...cgroupFiles, ...argv]
  const message = formatRequest(kind, number, words.map((word) => `${word}\0`).join(''))
  const isAccepted =
    message.length <= MAX_PAYLOAD && words.length <= MAX_ARGUMENTS && cgroupFiles.length <= MAX_CGROUP_FILES
  return isAccepted ? message : undefined
}

/** Returns a function that takes the bytes as they arrive. */
export function createReportReader({ onReport, onOutput }: ReportHandlers): (chunk: Buffer) => void {
  const header = Buffer.alloc(REPORT_HEADER)
  let headerLength = 0
  let outputOf = 0
  let outputLeft = 0
  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      if (outputLeft > 0) {
        const part = chunk.subarray(at, at + outputLeft)
        at += part.length
        outputLeft -= part.length
        onOutput(outputOf, part)
        continue
      }
      const copied = chunk.copy(header, headerLength, at)
      at += copied
      headerLength += copied
      if (headerLength < REPORT_HEADER) return
      headerLength = 0
      const kind = KINDS_BY_CODE.get(header.readUInt32LE(0))
      const number = header.readUInt32LE(4)
      if (kind === 'O') {
        outputOf = number
        outputLeft = header.readUInt32LE(12)
      } else if (kind) onReport(kind, number, header.readUInt32LE(8))
    }
  }
}
