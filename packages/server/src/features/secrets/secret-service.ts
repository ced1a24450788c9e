// Puts the questions of commands for passwords to their user on the console, and hands the answers to the askpass
// programs. Values exist in memory only: on their way, and afterwards to be redacted from output. Questions are not
// stored. Loaded by deferred-secrets when a user can be asked for the first time. Opens sockets (askpass-socket); sets
// timers.

import { randomBytes } from 'node:crypto'

import { Failure } from '@scorpiox/mcp/errors'
import type { AskingCommand } from '../../process/asking-commands.js'
import { showControlCharacters } from '../../terminal/text-layout.js'
import { createDeferred } from '../../async/timeouts.js'
import { type AskpassSocket, type AskReply, type OpenAsk, openAskpassSocket } from './askpass-socket.js'
import { askByAddress } from './ask-by-address.js'
import type { AddressPage, ShowAddress } from './deferred-secrets.js'
import { createRememberedValues } from './remembered-values.js'
import { createSecretPages, type SecretPages } from './secret-page.js'

const MAX_OPEN_PER_USER = 20
/** Those of supervisors that were replaced long ago are closed. */
const MAX_SOCKETS = 8
const MAX_COMMAND_CHARS = 500
const MAX_PROMPT_CHARS = 500
const MAX_VALUE_CHARS = 1024
/** ssh asks three times; a program that asks again and again is stopped. */
const MAX_PER_COMMAND = 20
/** The page may be reloading. */
const ABSENCE_MS = 5000
/** After a refusal, so that the repeated questions of one program need not be refused one by one. */
const REFUSED_MS = 10_000

/** A question as the console shows it. */
export interface SecretQuestion {
  readonly id: string
  readonly project: string
  /** Of the call that started the command. */
  readonly session: string
  /** What asks, and its prompt: text of a program, without control characters. */
  readonly command: string
  readonly prompt: string
  readonly askedAt: number
  /** What is entered is hidden, and redacted from output later. */
  readonly isSecret: boolean
}

export interface SecretService {
  /** Opens the socket of an askpass program. */
  listen(folder: string): Promise<void>
  listQuestions(user: string): readonly SecretQuestion[]
  /** Undefined: the user refuses. Throws a Failure if the question is no longer open. */
  answer(user: string, id: string, value: string | undefined): void
  /** Withdraws its question. */
  commandEnded(key: string): void
  presenceChanged(): void
  close(): Promise<void>
}

export interface SecretServiceDeps {
  readonly project: string
  readonly waitMs: number
  /** Set for each user: what is to be redacted. */
  readonly values: Map<string, readonly Buffer[]>
  readonly findCommand: (key: string) => AskingCommand | undefined
  readonly isPresent: (user: string) => boolean
  readonly addressPage: AddressPage
  /** A client of the session that waits for this command and can show addresses. */
  readonly findClient: (command: AskingCommand) => ShowAddress | undefined
  /** Called with the user whose questions changed. */
  readonly onChange: (user: string) => void
}

interface OpenQuestion {
  readonly key: string
  readonly user: string
  readonly shown: SecretQuestion
  /** The user is asked by their client to open a page, and need not have one open. */
  readonly isByClient: boolean
  readonly settle: (reply: AskReply) => void
}

/** What a command has asked so far. */
interface AskedByCommand {
  count: number
  refusedAt: number
}

export function createSecretService(deps: SecretServiceDeps): SecretService {
  const { project, waitMs, findCommand, findClient, isPresent, addressPage, onChange } = deps
  const open = new Map<string, OpenQuestion>()
  const asked = new Map<string, AskedByCommand>()
  const sockets: AskpassSocket[] = []
  const remembered = createRememberedValues(deps.values)
  let absenceTimer: NodeJS.Timeout | undefined
  let pages: SecretPages | undefined

  function listOpen(user: string): readonly OpenQuestion[] {
    return [...open.values()].filter((question) => question.user === user)
  }

  /** Why the question is not put to the user; undefined if it is. */
  function refuse(key: string, command: AskingCommand, { count, refusedAt }: AskedByCommand): AskReply | undefined {
    const { user } = command
    if (!isPresent(user) && !findClient(command)) return { kind: 'no-user' }
    if (performance.now() - refusedAt < REFUSED_MS) return { kind: 'refused', sentence: REFUSED }
    if (count >= MAX_PER_COMMAND) return { kind: 'refused', sentence: ASKED_TOO_OFTEN }
    const others = listOpen(user)
    if (others.some((question) => question.key === key)) return { kind: 'refused', sentence: ASKS_ALREADY }
    return others.length >= MAX_OPEN_PER_USER ? { kind: 'refused', sentence: TOO_MANY_OPEN } : undefined
  }

  function ask(key: string, prompt: string, signal: AbortSignal): AskReply | OpenAsk {
    const command = findCommand(key)
    if (!command) return { kind: 'refused', sentence: UNKNOWN_COMMAND }
    const history = asked.get(key) ?? { count: 0, refusedAt: -Infinity }
    const refusal = refuse(key, command, history)
    if (refusal) return refusal
    history.count++
    asked.set(key, history)
    return putToUser(key, command, prompt, signal)
  }

  function putToUser(key: string, asking: AskingCommand, prompt: string, signal: AbortSignal): OpenAsk {
    const { user, session, command } = asking
    const show = isPresent(user) ? undefined : findClient(asking)
    const id = randomBytes(8).toString('hex')
    const shown = {
      id,
      project,
      session,
      command: clip(command, MAX_COMMAND_CHARS),
      prompt: clip(prompt, MAX_PROMPT_CHARS),
      askedAt: Date.now(),
      isSecret: !ECHOED_PROMPT.test(prompt),
    }
    const { promise: reply, resolve } = createDeferred<AskReply>()
    const settle = (outcome: AskReply): void => {
      if (!open.delete(id)) return
      clearTimeout(timer)
      signal.removeEventListener('abort', withdraw)
      resolve(outcome)
      onChange(user)
    }
    const withdraw = (): void => settle({ kind: 'refused', sentence: WITHDRAWN })
    const timer = setTimeout(settle, waitMs, { kind: 'refused', sentence: NOT_ANSWERED }).unref()
    signal.addEventListener('abort', withdraw)
    const question = { key, user, shown, settle, isByClient: show !== undefined }
    open.set(id, question)
    onChange(user)
    if (show) void showAddress(show, question, reply)
    return { note: show ? ASKED_BY_CLIENT : ASKED_ON_CONSOLE, reply }
  }

  const localPages = (): SecretPages => (pages ??= createSecretPages())

  async function showAddress(show: ShowAddress, question: OpenQuestion, settled: Promise<unknown>): Promise<void> {
    const { user, shown, settle } = question
    const onAnswer = (value: string | undefined): void => answer(user, shown.id, value)
    const options = { show, waitMs, addressPage, localPages, settled }
    const outcome = await askByAddress({ ...shown, onAnswer }, options)
    if (outcome === 'declined' && open.has(shown.id)) onAnswer(undefined)
    else if (outcome === 'failed') settle({ kind: 'no-user' })
  }

  function answer(user: string, id: string, value: string | undefined): void {
    const question = open.get(id)
    if (question?.user !== user)
      throw new Failure('This question is no longer open: the command has ended, or it was answered.')
    if (value === undefined) {
      const history = asked.get(question.key)
      if (history) history.refusedAt = performance.now()
      return question.settle({ kind: 'refused', sentence: REFUSED })
    }
    if (value.length > MAX_VALUE_CHARS || UNSENDABLE.test(value))
      throw new Failure(`The answer must be one line of at most ${MAX_VALUE_CHARS} characters.`)
    if (question.shown.isSecret) remembered.add(user, value)
    question.settle({ kind: 'answered', value })
  }

  function endUnreachable(): void {
    absenceTimer = undefined
    for (const { user, isByClient, settle } of open.values())
      if (!isByClient && !isPresent(user)) settle({ kind: 'no-user' })
  }

  return {
    async listen(folder) {
      sockets.push(await openAskpassSocket(folder, ask))
      if (sockets.length > MAX_SOCKETS) await sockets.shift()?.close()
    },
    listQuestions: (user) => listOpen(user).map(({ shown }) => shown),
    answer,
    commandEnded(key) {
      asked.delete(key)
      for (const { key: askedBy, settle } of open.values())
        if (askedBy === key) settle({ kind: 'refused', sentence: WITHDRAWN })
    },
    presenceChanged() {
      if (open.size > 0) absenceTimer ??= setTimeout(endUnreachable, ABSENCE_MS).unref()
    },
    async close() {
      clearTimeout(absenceTimer)
      for (const { settle } of open.values()) settle({ kind: 'refused', sentence: WITHDRAWN })
      remembered.clear()
      pages?.close()
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}

const ASKED_ON_CONSOLE = 'The user is asked for it on the console page and in the inbox.'
const ASKED_BY_CLIENT = 'The user is asked for it by their client.'
const REFUSED = 'The user refused to enter the password.'
const NOT_ANSWERED = 'The user did not enter the password in time.'
const WITHDRAWN = 'The question for the password was withdrawn, because its command has ended.'
const ASKED_TOO_OFTEN = `No password is asked for: this command has asked ${MAX_PER_COMMAND} times already.`
const ASKS_ALREADY = 'No password is asked for: another question of this command is still open.'
const TOO_MANY_OPEN = `No password is asked for: ${MAX_OPEN_PER_USER} such questions are open already.`
const UNKNOWN_COMMAND = 'No password is asked for: it is not known which command asks, or it has ended.'

/** Prompts of git and ssh whose answers are not secret. */
const ECHOED_PROMPT = /^Username for |\(yes\/no/
// oxlint-disable-next-line no-control-regex -- an askpass program prints one line
const UNSENDABLE = /[\0\r\n]/

function clip(text: string, max: number): string {
  const printable = showControlCharacters(text).trim()
  return printable.length <= max ? printable : `${printable.slice(0, max)}…`
}
