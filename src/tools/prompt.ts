// Declaration of a prompt: string arguments in, messages out.

import type { Call } from './call.js'
import type { Block } from './tool.js'

interface PromptBase {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
}

/** A prompt that the user can select; its messages go to the model. */
export interface Prompt extends PromptBase {
  /** The services that `get` receives. */
  readonly needs?: readonly string[]
  get(
    args: Readonly<Record<string, string>>,
    call: Call,
    services: unknown,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>
}

/** An argument that the client asks the user for. */
export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  /** Suggests values while the user types. */
  readonly complete?: Complete
}

/** Returns values that match the typed text, best first, given the other arguments so far. */
export type Complete = (
  typed: string,
  others: Readonly<Record<string, string>>,
) => readonly string[] | Promise<readonly string[]>

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  /** A string stands for one text block. */
  readonly content: string | Block
}

interface TypedDefinition<S, K extends keyof S & string> extends PromptBase {
  readonly needs?: readonly K[]
  get(args: Readonly<Record<string, string>>, call: Call, services: Pick<S, K>): ReturnType<Prompt['get']>
}

/** `definePrompt` for prompts that use the services `S`. */
export function promptsOver<S>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K>): Prompt => definition
}

/** Checks the types of a prompt. */
export const definePrompt = promptsOver<object>()
