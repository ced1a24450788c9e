// Questions of commands for passwords, before there are any: keeps which commands run and where their askpass programs
// are, and loads the secret service once a user can be asked. Created by services.ts of the app; used by the shell for
// each command and by the console. No I/O of its own.

import { Failure } from '@scorpiox/mcp/errors'
import { loadOnce } from '@scorpiox/mcp/promises'
import type { AskingCommand, AskingCommands } from '../../process/asking-commands.js'
import type { UserPresence } from '../questions/index.js'
import type { SecretQuestion, SecretService } from './secret-service.js'

/** Shows the user an address in their client. Resolves to whether they agreed to open it; rejects if that fails. */
export type ShowAddress = (message: string, url: string, timeoutMs: number) => Promise<'accept' | 'decline' | 'cancel'>

/** What the shell uses: for each command only data, because most commands ask nothing and print no secret. */
export interface CommandSecrets {
  /** An askpass program is there. If a user can be asked, resolves when it can ask. */
  readonly addFolder: (folder: string) => Promise<void> | undefined
  readonly asking: AskingCommands
  /** By user: what must not appear in the output of their commands. */
  readonly values: ReadonlyMap<string, readonly Buffer[]>
  /**
   * A client that can show addresses waits for commands of its session. Resolves, when they can ask, to a function to
   * call when it no longer waits.
   */
  addClient(caller: Pick<AskingCommand, 'user' | 'session'>, show: ShowAddress): Promise<() => void>
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
  /**
   * Where a user whose client shows addresses enters an answer: a page on this machine, the address of the console, or
   * nowhere.
   */
  readonly addressPage: AddressPage
}

export type AddressPage = 'local' | 'none' | { readonly consoleUrl: string }

/** Supervisors are replaced now and then. */
const MAX_FOLDERS = 8

export function createDeferredSecrets(deps: DeferredSecretsDeps): DeferredSecrets {
  const { project, waitMs, onError, addressPage } = deps
  const asking: AskingCommands = { commands: new Map(), onEnd: undefined }
  const values = new Map<string, readonly Buffer[]>()
  const clients = new Map<ShowAddress, string>()
  const folders = new Set<string>()
  const listeners = new Set<(user: string) => void>()
  let presence: UserPresence | undefined
  let wasAnyonePresent = false
  let stopWatching: (() => void) | undefined
  let service: SecretService | undefined
  let isClosed = false

  const open = loadOnce(async (): Promise<SecretService> => {
    const { createSecretService } = await import('./secret-service.js')
    const opened = createSecretService({
      project,
      waitMs,
      values,
      findCommand: (key) => asking.commands.get(key),
      isPresent: (user) => presence?.isPresent(user) ?? false,
      addressPage,
      findClient: (command) => [...clients].findLast(([, key]) => key === clientKey(command))?.[0],
      onChange: (user) => listeners.forEach((listener) => listener(user)),
    })
    asking.onEnd = (key) => opened.commandEnded(key)
    return opened
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
    asking,
    values,
    async addClient(caller, show) {
      if (addressPage === 'none') return () => {}
      clients.set(show, clientKey(caller))
      wasAnyonePresent = true
      await tryOpenSockets()
      return () => void clients.delete(show)
    },
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

function clientKey({ user, session }: Pick<AskingCommand, 'user' | 'session'>): string {
  return JSON.stringify([user, session])
}
