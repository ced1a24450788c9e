// Recodes what programs of Windows print in the OEM code page, such as ipconfig, as UTF-8. Git Bash leaves the code page of
// the console as it is. Output that is UTF-8 passes unchanged; otherwise each line is decoded for itself. Used by
// command-runner. Starts reg.exe once, when the first line is not UTF-8.

import { isUtf8 } from 'node:buffer'
import { join } from 'node:path'

import { findSystem32 } from '@scorpiox/mcp/system32'
import { createPageDecoder, type DecodePage } from './oem-code-pages.js'
import { readProbeOutput, type SpawnedProcess } from './spawn.js'

/** Starts a program whose output is recoded. What is kept back arrives before the output counts as complete. */
export async function startRecoded(
  start: (onOutput: (chunk: Buffer) => void) => Promise<SpawnedProcess>,
  onOutput: (chunk: Buffer) => void,
): Promise<SpawnedProcess> {
  const recoder = createOemRecoder(onOutput)
  const program = await start((chunk) => recoder.push(chunk))
  return {
    ...program,
    closed: program.closed.then(() => recoder.flush()),
    ignoreOutput() {
      recoder.flush()
      program.ignoreOutput()
    },
  }
}

interface OutputRecoder {
  push(chunk: Buffer): void
  /** Passes on what was kept back: the first bytes of a character. */
  flush(): void
}

const LINE_FEED = 0x0a
const NOTHING = Buffer.alloc(0)

/** `openDecoder`: called when the first line is not UTF-8; undefined leaves the output as it is. */
export function createOemRecoder(
  onOutput: (chunk: Buffer) => void,
  openDecoder: () => DecodePage | undefined = openSystemDecoder,
): OutputRecoder {
  let kept: Buffer = NOTHING
  /** Of the unfinished line, if its beginning was not UTF-8. */
  let decodeRest: DecodePage | undefined
  /** Binary output, or an unknown code page: nothing is recoded any more. */
  let isRaw = false

  function recode(line: Buffer): Buffer {
    const isUnfinished = line.at(-1) !== LINE_FEED
    if (decodeRest === undefined && isUtf8(line)) return line
    if (decodeRest === undefined && isUnfinished) {
      const cut = line.length - lengthOfCutCharacter(line)
      const whole = line.subarray(0, cut)
      if (isUtf8(whole)) {
        kept = line.subarray(cut)
        return whole
      }
    }
    const decode = decodeRest ?? openDecoder()
    if (decode === undefined) {
      isRaw = true
      return line
    }
    decodeRest = isUnfinished ? decode : undefined
    return Buffer.from(decode(line, isUnfinished))
  }

  return {
    push(chunk) {
      const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
      kept = NOTHING
      isRaw ||= bytes.includes(0)
      if (isRaw || (decodeRest === undefined && isUtf8(bytes))) return onOutput(bytes)
      const recoded = Buffer.concat(splitLines(bytes).map((line) => (isRaw ? line : recode(line))))
      if (recoded.length > 0) onOutput(recoded)
    },
    flush() {
      const rest = kept
      kept = NOTHING
      const decode = rest.length === 0 ? undefined : openDecoder()
      if (rest.length > 0) onOutput(decode ? Buffer.from(decode(rest, false)) : rest)
    },
  }
}

/** Each with its line feed. */
function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(LINE_FEED, from)
    const to = end === -1 ? bytes.length : end + 1
    lines.push(bytes.subarray(from, to))
    from = to
  }
  return lines
}

/** How many bytes at the end begin a character of UTF-8 that is not complete. */
function lengthOfCutCharacter(bytes: Buffer): number {
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes.at(-length) ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return length < sizeOfCharacter(byte) ? length : 0
  }
  return 0
}

function sizeOfCharacter(firstByte: number): number {
  if (firstByte >= 0xf0) return 4
  return firstByte >= 0xe0 ? 3 : 2
}

const CODE_PAGES = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage'

let systemPage: { readonly number: number | undefined } | undefined

/** A decoder of its own for each output, because decoders keep characters that are cut. */
function openSystemDecoder(): DecodePage | undefined {
  systemPage ??= {
    number: parseCodePage(readProbeOutput(join(findSystem32(), 'reg.exe'), ['query', CODE_PAGES, '/v', 'OEMCP'], {})),
  }
  return systemPage.number === undefined ? undefined : createPageDecoder(systemPage.number)
}

/** From the output of `reg query`. */
export function parseCodePage(output: string): number | undefined {
  const [, page] = /\bOEMCP\s+REG_SZ\s+(\d+)/.exec(output) ?? []
  return page === undefined ? undefined : Number(page)
}
