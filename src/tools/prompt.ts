// A prompt a person can pick: arguments in, messages out. Arguments are strings, as the protocol has them.

import type { Call } from './call.js'
import type { Block } from './tool.js'

interface PromptBase {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
}

/** Something a person picks, as from a menu; its messages go to the model. */
export interface Prompt extends PromptBase {
  /** The services `get` receives. */
  readonly needs?: readonly string[]
  get(
    args: Readonly<Record<string, string>>,
    call: Call,
    services: unknown,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>
}

/** What a person is asked for before the messages are made. */
export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  /** Suggests values while a person types. */
  readonly complete?: Complete
}

/** The values that may follow what has been typed, best first, given the other arguments so far. */
export type Complete = (
  typed: string,
  others: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>

/** One message of the conversation that a prompt begins. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  /** A string is a block of text. */
  readonly content: string | Block
}

interface TypedDefinition<S, K extends keyof S & string> extends PromptBase {
  readonly needs?: readonly K[]
  get(args: Readonly<Record<string, string>>, call: Call, services: Pick<S, K>): ReturnType<Prompt['get']>
}

/** `definePrompt` for prompts over the services `S`. */
export function promptsOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K>): Prompt => definition
}

/** Checks the types of a prompt: a name, its arguments, and the messages they make. */
export const definePrompt = promptsOver<object>()
