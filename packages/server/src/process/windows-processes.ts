// Lists the processes of Windows and who started them, from two tables: that of Windows, by PowerShell, and that of
// MSYS, by Git Bash. A program that Git Bash starts has a parent in Windows that has exited by then, but MSYS keeps its
// parent and its environment. Used by kill-windows-trees.ts. Starts programs only through its parameters.

import { TAG_VARIABLE } from './process-tags.js'
import { buildPowershellCall } from './system-powershell.js'

/** PowerShell may be slow to start. */
const POWERSHELL_TIMEOUT_MS = 10_000
const BASH_TIMEOUT_MS = 5_000

const POWERSHELL_SCRIPT =
  `Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { ` +
  `'{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, $_.CreationDate.ToFileTimeUtc() }`

export interface WindowsProcess {
  readonly pid: number
  /** Its parent in Windows, whose pid may belong to another process by now. */
  readonly ppid: number
  /** As a FILETIME, in units of 100 ns; 0 if unknown. */
  readonly startedAt: bigint
  /** Pids of its parent and of the leader of its process group in MSYS; none if it is no program of Git Bash. */
  readonly msysParents: readonly number[]
  /** The tags of process-tags.ts; empty if unknown. */
  readonly tags: string
}

export interface ProcessListDeps {
  /** The output of a program; undefined if it failed or is missing. */
  readonly runTool: (file: string, args: readonly string[], timeoutMs?: number) => Promise<string | undefined>
  /** The Git Bash that runs the commands, if it does. */
  readonly gitBash?: string | undefined
}

export interface WindowsProcessList {
  readonly processes: readonly WindowsProcess[]
  /** False without the table of Windows: then it contains those of MSYS only, without start times. */
  readonly isComplete: boolean
}

/** Undefined if they cannot be listed. */
export async function listWindowsProcesses(deps: ProcessListDeps): Promise<WindowsProcessList | undefined> {
  const askedAt = toFileTime(Date.now())
  const [listed, msys] = await Promise.all([listByPowershell(deps), listByGitBash(deps)])
  const msysByPid = new Map(msys.map((row) => [row.winpid, row]))
  const winpids = new Map(msys.map(({ pid, winpid }) => [pid, winpid]))
  const rows = listed ?? msys.map(({ winpid }) => ({ pid: winpid, ppid: 0, startedAt: 0n }))
  const processes = rows.map(({ pid, ppid, startedAt }): WindowsProcess => {
    // A pid that was assigned after the question may be a different process in each table.
    const own = startedAt <= askedAt ? msysByPid.get(pid) : undefined
    const parents = own ? [own.ppid, own.pgid].flatMap((msysPid) => winpids.get(msysPid) ?? []) : []
    const msysParents = parents.filter((parent) => parent !== pid)
    return { pid, ppid, startedAt, msysParents, tags: own?.tags ?? '' }
  })
  return processes.length === 0 ? undefined : { processes, isComplete: listed !== undefined }
}

/** From milliseconds since 1970. */
export function toFileTime(ms: number): bigint {
  return (BigInt(Math.trunc(ms)) + 11_644_473_600_000n) * 10_000n
}

type ListedProcess = Pick<WindowsProcess, 'pid' | 'ppid' | 'startedAt'>

async function listByPowershell({ runTool }: ProcessListDeps): Promise<readonly ListedProcess[] | undefined> {
  const { file, args } = buildPowershellCall(POWERSHELL_SCRIPT)
  const text = (await runTool(file, args, POWERSHELL_TIMEOUT_MS)) ?? ''
  const listed = [...text.matchAll(/^(\d{1,10}) (\d{1,10}) (\d{1,19})\r?$/gm)].map(
    ([, pid, ppid, startedAt = '0']): ListedProcess => ({
      pid: Number(pid),
      ppid: Number(ppid),
      startedAt: BigInt(startedAt),
    }),
  )
  return listed.length === 0 ? undefined : listed
}

interface MsysProcess {
  readonly pid: number
  /** 1 if its parent has exited, or is not a program of MSYS. */
  readonly ppid: number
  readonly pgid: number
  readonly winpid: number
  readonly tags: string
}

async function listByGitBash({ runTool, gitBash }: ProcessListDeps): Promise<readonly MsysProcess[]> {
  if (gitBash === undefined) return []
  const text = (await runTool(gitBash, ['-p', '-c', msysListScript()], BASH_TIMEOUT_MS)) ?? ''
  return [...text.matchAll(/^(\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10})(?: ([\w.;-]+))?\r?$/gm)].map(
    ([, pid, ppid, pgid, winpid, tags = '']): MsysProcess => ({
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      winpid: Number(winpid),
      tags,
    }),
  )
}

/**
 * Prints pid, ppid, pgid, winpid and tags of each process of MSYS, with builtins only: each program costs about 50 ms
 * there. Not by ps, which does not know the environment. The script has neither backslashes nor double quotes, which
 * some versions change on their command line. A value of the variable with other characters is not a tag.
 */
export function msysListScript(procFolder = '/proc'): string {
  const readFields = ['ppid', 'pgid', 'winpid'].map((name) => `read -r ${name} <$p/${name}`).join(' && ')
  const readTags = `while IFS= read -r -d '' v; do [[ $v == ${TAG_VARIABLE}=* ]] && t=\${v#*=} && break; done <$p/environ`
  return [
    `bad='*[!a-zA-Z0-9_.;-]*'`,
    `cd ${procFolder} || exit`,
    `for p in [0-9]*; do t=; ${readFields} || continue; ${readTags}; [[ $t == $bad ]] && t=; echo $p $ppid $pgid $winpid $t; done`,
  ]
    .join('; ')
    .concat(' 2>/dev/null')
}
