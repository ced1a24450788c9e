// The terminals of jobs: on Linux finds the programs that create one (script and stty, where no command can have
// written them), reports what is missing, and resizes the terminal of a running job. On macOS process/terminal-process
// creates them. Loaded by open-shell-service for job-service, and by `doctor`. Runs stty; reads /proc.

import { basename } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { listWritableRoots } from '../../config/writable-roots.js'
import { formatInstallCommand } from '../../process/install-command.js'
import { runToCompletion } from '../../process/run-program.js'
import type { TerminalOptions } from '../../process/supervisor.js'
import { formatTerminalPrelude } from '../../process/terminal-environment.js'
import { findTrustedProgram } from '../../process/trusted-program.js'
import type { Job } from './job.js'
import type { TerminalSize } from './terminal-size.js'
import { findTerminalDevice } from './waiting-for-input.js'

export interface Terminals {
  /** What a command on a terminal of this size needs. Throws a Failure that says what is missing. */
  optionsFor(size: TerminalSize): TerminalOptions
  /** Changes the size; the system signals it to the program. */
  resize(job: Job, size: TerminalSize): Promise<void>
}

export function createTerminals(config: Config, env: NodeJS.ProcessEnv): Terminals {
  return {
    optionsFor(size) {
      const prelude = formatTerminalPrelude(config.childEnv)
      if (process.platform === 'darwin') return { ...size, prelude }
      const { script, stty } = findTerminalPrograms(config, env)
      if (script === undefined || stty === undefined)
        throw new Failure(`The command was not started: ${describeMissing(script === undefined ? 'script' : 'stty')}`)
      return { programs: { script, stty: commandOf(stty) }, ...size, prelude }
    },
    async resize(job, { cols, rows }) {
      if (job.stdin?.resize) return job.stdin.resize({ cols, rows })
      const { stty } = findTerminalPrograms(config, env)
      const device = job.record.pid === undefined ? undefined : findTerminalDevice(job.record.pid)
      if (stty === undefined || device === undefined)
        throw new Failure(`The terminal of job ${job.id} was not resized: its program is exiting.`)
      const [file = stty, ...name] = commandOf(stty)
      const sizeFlags = ['-F', device, 'cols', String(cols), 'rows', String(rows)]
      const { code, output } = await runToCompletion(file, [...name, ...sizeFlags], env)
      if (code !== 0) throw new Failure(`The terminal of job ${job.id} was not resized: ${output.trim()}`)
    },
  }
}

interface TerminalPrograms {
  readonly script: string | undefined
  readonly stty: string | undefined
}

/** Undefined where they are missing, or not usable on this system. */
export function findTerminalPrograms(config: Config, env: NodeJS.ProcessEnv): TerminalPrograms {
  if (process.platform !== 'linux') return { script: undefined, stty: undefined }
  const writableRoots = listWritableRoots(config)
  const find = (name: string): string | undefined => findTrustedProgram(name, env, writableRoots)
  // That of BusyBox lacks options.
  return { script: [find('script')].find((path) => path && basename(path) === 'script'), stty: find('stty') }
}

/** A program with many names, such as that of BusyBox, gets the name as its first argument. */
function commandOf(stty: string): readonly string[] {
  return basename(stty) === 'stty' ? [stty] : [stty, 'stty']
}

function describeMissing(program: string): string {
  if (process.platform !== 'linux')
    return 'terminals are available on Linux and macOS only. Start the command without tty: its stdin is then a pipe that you can write to.'
  return (
    `a terminal requires ${program}, which is not installed. Install it: ` +
    `${formatInstallCommand(program === 'script' ? 'util-linux' : 'coreutils')}, or start the command without tty.`
  )
}
