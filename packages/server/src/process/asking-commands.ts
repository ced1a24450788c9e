// The running commands that may ask for passwords, by the key that their askpass programs send. A plain object that the
// feature `secrets` creates and reads and command-runner keeps up to date, so that a command costs no call of the feature.

import type { PooledShell } from './pooled-shell.js'

/** A running command, as it is shown to the user. */
export interface AskingCommand {
  readonly user: string
  readonly session: string
  readonly command: string
}

export interface AskingCommands {
  readonly commands: Map<string, AskingCommand>
  /** Called at the end of a command; undefined as long as no command can have asked. */
  onEnd: ((key: string) => void) | undefined
}

/** What a command needs to ask. */
export interface AskpassOptions {
  readonly asking: AskingCommands
  readonly as: AskingCommand
}

/** The command may ask until it ends, or until it turns out that it does not start. */
export function letAsk(
  { asking, as }: AskpassOptions,
  { askpassKey, started, exited }: Pick<PooledShell, 'askpassKey' | 'started' | 'exited'>,
): void {
  const remove = (): void => {
    asking.commands.delete(askpassKey)
    asking.onEnd?.(askpassKey)
  }
  asking.commands.set(askpassKey, as)
  void started.then((pid) => pid ?? remove())
  void exited.then(remove)
}
