// The environment of the project that commands get (SHELL_ENV). It is loaded with the first command and again when its
// files change. What cannot be loaded is said once in each session, with every failed command, and in the log. Created
// by open-shell-service if it is switched on. Reads files; direnv starts processes.

import type { Caller } from '@scorpiox/mcp/definitions/caller'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '../../../config/load-config.js'
import type { CommandVariables } from '../../../process/command-variables.js'
import { createDirenv, type RunProbe } from './direnv.js'
import { createVirtualEnvironment } from './virtual-environment.js'

const MAX_SESSIONS = 1000

export interface LoadedEnvironment {
  readonly variables?: CommandVariables
  /** What was not loaded and why, as a sentence. */
  readonly problem?: string
}

/** For one command. */
export interface CommandEnvironment extends Pick<LoadedEnvironment, 'variables' | 'problem'> {
  /** The problem, if no result of this session has had it. */
  readonly notice?: string | undefined
}

export type ProjectEnvironment = (caller: Caller) => Promise<CommandEnvironment>

interface ProjectEnvironmentOptions {
  readonly config: Config
  /** Of commands. */
  readonly env: NodeJS.ProcessEnv
  readonly isSandboxed: boolean
  readonly runProbe: RunProbe
  readonly log: Log
}

export function createProjectEnvironment(options: ProjectEnvironmentOptions): ProjectEnvironment {
  const { SHELL_ENV: kind } = options.config.settings
  const load = kind === 'direnv' ? createDirenv(options) : createVirtualEnvironment(options)
  const notedProblems = new Map<string, string>()
  let logged: string | undefined

  function noteProblem(problem: string, { session }: Caller): string | undefined {
    if (logged !== problem) options.log.warn((logged = problem))
    if (notedProblems.get(session) === problem) return undefined
    notedProblems.delete(session)
    notedProblems.set(session, problem)
    const [oldest] = notedProblems.keys()
    if (notedProblems.size > MAX_SESSIONS && oldest !== undefined) notedProblems.delete(oldest)
    return problem
  }

  return async (caller) => {
    const { variables, problem } = await load(caller)
    if (problem === undefined) {
      logged = undefined
      notedProblems.clear()
      return variables ? { variables } : {}
    }
    const text = `SHELL_ENV=${kind}: ${problem}`
    return { ...(variables && { variables }), problem: text, notice: noteProblem(text, caller) }
  }
}
