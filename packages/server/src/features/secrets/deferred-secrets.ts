// Questions of commands for passwords, before there are any: keeps which commands run and where their askpass programs
// are, and loads the secret service once a user can be asked. Created by services.ts of the app; used by the shell for
// each command and by the console. No I/O of its own.

import { Failure } from '@scorpiox/mcp/errors'
import { loadOnce } from '@scorpiox/mcp/util/promises'
import type { UserPresence } from '../questions/index.js'
import type { SecretQuestion, SecretService } from './secret-service.js'

/** A running command, as it is shown to the user. */
export interface AskingCommand {
  readonly user: string
  readonly command: string
}

/** What the shell uses. */
export interface CommandSecrets {
  /** An askpass program is there. If a user can be asked, resolves when it can ask. */
  readonly addFolder: (folder: string) => Promise<void> | undefined
  /** A command that may ask starts; the key identifies it. Returns a function to call at its end. */
  addCommand(key: string, command: AskingCommand): () => void
  /** What must not appear in the output of this user's commands. */
  valuesOf(user: string): readonly Buffer[]
  close(): Promise<void>
}

export interface DeferredSecrets extends CommandSecrets {
  /** Called once it is known which users are there. */
  attachPresence(presence: UserPresence): void
  listQuestions(user: string): readonly SecretQuestion[]
  /** Undefined: the user refuses. Throws a Failure if the question is no longer open. */
  answer(user: string, id: string, value: string | undefined): void
  /** Calls the listener with the user whose questions changed. Returns a function that unsubscribes. */
  onChange(listener: (user: string) => void): () => void
}

export interface DeferredSecretsDeps {
  readonly project: string
  /** How long a question waits. */
  readonly waitMs: number
  readonly onError: (error: unknown) => void
}

const NO_VALUES: readonly Buffer[] = []
/** Supervisors are replaced now and then. */
const MAX_FOLDERS = 8

export function createDeferredSecrets({ project, waitMs, onError }: DeferredSecretsDeps): DeferredSecrets {
  const commands = new Map<string, AskingCommand>()
  const folders = new Set<string>()
  const listeners = new Set<(user: string) => void>()
  let presence: UserPresence | undefined
  let wasAnyonePresent = false
  let stopWatching: (() => void) | undefined
  let service: SecretService | undefined
  let isClosed = false

  const open = loadOnce(async (): Promise<SecretService> => {
    const { createSecretService } = await import('./secret-service.js')
    return createSecretService({
      project,
      waitMs,
      findCommand: (key) => commands.get(key),
      isPresent: (user) => presence?.isPresent(user) ?? false,
      onChange: (user) => listeners.forEach((listener) => listener(user)),
    })
  })

  /** Sockets are opened when a user is there for the first time, and stay open. */
  async function openSockets(): Promise<void> {
    service = await open()
    for (const folder of folders) if (folders.delete(folder)) await service.listen(folder)
  }

  const tryOpenSockets = (): Promise<void> | undefined =>
    isClosed || folders.size === 0 || !wasAnyonePresent ? undefined : openSockets().catch(onError)

  return {
    attachPresence(attached) {
      presence = attached
      stopWatching = attached.onChange(() => {
        wasAnyonePresent = true
        void tryOpenSockets()
        service?.presenceChanged()
      })
    },
    addFolder(folder) {
      const [oldest] = folders
      if (oldest !== undefined && folders.size >= MAX_FOLDERS) folders.delete(oldest)
      folders.add(folder)
      return tryOpenSockets()
    },
    addCommand(key, command) {
      commands.set(key, command)
      return () => {
        commands.delete(key)
        service?.commandEnded(key)
      }
    },
    valuesOf: (user) => service?.valuesOf(user) ?? NO_VALUES,
    listQuestions: (user) => service?.listQuestions(user) ?? [],
    answer(user, id, value) {
      if (!service) throw new Failure('This question is no longer open.')
      service.answer(user, id, value)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      isClosed = true
      stopWatching?.()
      await service?.close()
    },
  }
}
