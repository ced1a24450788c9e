// A prompt a person can pick: arguments in, messages out. Arguments are strings, as the protocol has them.

import type { Call } from './call.js'
import type { Block } from './tool.js'

export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
  /** The services `get` receives. */
  readonly needs?: readonly string[]
  get(
    args: Readonly<Record<string, string>>,
    call: Call,
    services: unknown,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>
}

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

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  /** A string is a block of text. */
  readonly content: string | Block
}

type Definition<S, K extends keyof S & string> = Omit<Prompt, 'needs' | 'get'> & {
  readonly needs?: readonly K[]
  get(args: Readonly<Record<string, string>>, call: Call, services: Pick<S, K>): ReturnType<Prompt['get']>
}

export function promptsOver<S>() {
  return <const K extends keyof S & string = never>(definition: Definition<S, K>): Prompt => definition
}

export const definePrompt = promptsOver<object>()
