// Runs a command for a call: reports its output as progress, stops it when the call is cancelled, and defers a long call to
// a task handle if the client supports that. Used by Bash, InvokeSkill and script tools. Starts processes through the shell
// service.

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import type { CommandResult, RunOptions, ShellService, TimeLimit } from './shell-service.js'

const DEFER_AFTER_MS = 10_000

interface RunForCallRequest {
  readonly command: string
  readonly limit: TimeLimit
  /** stdin; empty by default. */
  readonly input?: string
  /** The output is data: do not clip long lines. */
  readonly isData?: boolean
}

/** What a command needs of its call. */
type CommandCall = Pick<
  CallContext,
  'user' | 'session' | 'client' | 'signal' | 'wantsProgress' | 'progress' | 'continueAsTask'
>

export async function runCommandForCall(
  shell: ShellService,
  { command, limit, input, isData }: RunForCallRequest,
  { user, session, client, signal, wantsProgress, progress, continueAsTask }: CommandCall,
): Promise<CommandResult> {
  let reported = 0
  let isDeferred = false
  const onLine = wantsProgress ? (line: string) => progress(++reported, { message: line }) : undefined
  // If no task handle can be created, the call stays open until the command ends.
  const timer = setTimeout(() => {
    // Past tense: the message is also shown after the command has ended.
    void continueAsTask({ message: 'The command took longer than 10 s.' }).then(
      (isAccepted) => (isDeferred = isAccepted),
      () => {},
    )
  }, DEFER_AFTER_MS)
  try {
    const options: RunOptions = {
      caller: { user, session },
      client,
      limit,
      signal,
      onLine,
      isDeferred: () => isDeferred,
      input,
      isData,
    }
    return await shell.run(command, options)
  } finally {
    clearTimeout(timer)
  }
}
