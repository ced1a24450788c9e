// Asks the system when processes were started: ps on macOS and the BSDs, PowerShell on Windows. Loaded on demand by
// process-start-times.ts, which keeps the answers. Starts programs.

import { readSystemToolOutput } from './spawn.js'
import { buildPowershellCall } from './system-powershell.js'

const TIMEOUT_MS = 3000
/** Milliseconds between 1601, from which Windows counts, and 1970. */
const FILETIME_EPOCH_MS = 11_644_473_600_000

interface ReadStartTimesDeps {
  readonly platform: NodeJS.Platform
  readonly now: () => number
  /** The output of a program; undefined if it failed or is missing. */
  readonly runTool: (file: string, args: readonly string[], timeoutMs: number) => Promise<string | undefined>
}

const SYSTEM_DEPS: ReadStartTimesDeps = { platform: process.platform, now: Date.now, runTool: readSystemToolOutput }

/** In milliseconds since 1970, to the second; without those that cannot be read. */
export async function askForStartTimes(
  pids: readonly number[],
  { platform, now, runTool }: ReadStartTimesDeps = SYSTEM_DEPS,
): Promise<ReadonlyMap<number, number>> {
  const { file, args, parse } = platform === 'win32' ? powershellRequest(pids) : psRequest(pids, now)
  return parse((await runTool(file, args, TIMEOUT_MS)) ?? '')
}

interface ToolRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly parse: (text: string) => ReadonlyMap<number, number>
}

/** The elapsed time, because the start time is printed in the zone and, on some systems, in the language of the user. */
function psRequest(pids: readonly number[], now: () => number): ToolRequest {
  return {
    file: '/bin/ps',
    args: ['-o', 'pid=', '-o', 'etime=', '-p', pids.join(',')],
    parse(text) {
      const rows = text.matchAll(/^ *(\d+) +(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+) *$/gm)
      return new Map(
        [...rows].map(([, pid, days = '0', hours = '0', minutes, seconds]) => {
          const elapsedHours = Number(days) * 24 + Number(hours)
          return [Number(pid), now() - ((elapsedHours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000]
        }),
      )
    },
  }
}

/** Get-Process, because it answers sooner than CIM. */
function powershellRequest(pids: readonly number[]): ToolRequest {
  const script =
    `Get-Process -Id ${pids.join(',')} -ErrorAction SilentlyContinue | ` +
    `ForEach-Object { try { '{0} {1}' -f $_.Id, $_.StartTime.ToFileTimeUtc() } catch {} }`
  return {
    ...buildPowershellCall(script),
    parse(text) {
      const rows = text.matchAll(/^(\d{1,10}) (\d{1,19})\r?$/gm)
      return new Map([...rows].map(([, pid, time]) => [Number(pid), Number(time) / 10_000 - FILETIME_EPOCH_MS]))
    },
  }
}
