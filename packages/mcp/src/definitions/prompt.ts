// Declaration of a prompt: string arguments in, messages out. Types, and functions that only check types. Used by
// authors of servers and by the registry.

import type { JsonObject } from '../json/json.js'
import type { CallContext } from './call-context.js'
import type { Icon } from './icon.js'
import type { ContentBlock } from './tool.js'

interface PromptBase {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
  /** Icons for clients since revision 2025-11-25. */
  readonly icons?: readonly Icon[]
}

/** A prompt that the user can select; its messages go to the model. */
export interface PromptDefinition extends PromptBase {
  /** The services that `get` receives. */
  readonly services?: readonly string[]
  get(
    args: Readonly<Record<string, string>>,
    call: CallContext,
    services: unknown,
  ): readonly PromptMessage[] | Promise<readonly PromptMessage[]>
}

/** An argument that the client asks the user for. */
export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  /** Suggests values while the user types. */
  readonly complete?: Completer
}

/** Returns values that match the typed text, best first, given the other arguments so far, for the user of the call. */
export type Completer = (
  typed: string,
  others: Readonly<Record<string, string>>,
  call: CallContext,
) => readonly string[] | Promise<readonly string[]>

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  /** A string stands for one text block. */
  readonly content: string | ContentBlock
}

interface TypedDefinition<S, K extends keyof S & string, Claims> extends PromptBase {
  readonly services?: readonly K[]
  get(
    args: Readonly<Record<string, string>>,
    call: CallContext<Claims>,
    services: Pick<S, K>,
  ): ReturnType<PromptDefinition['get']>
}

/** `definePrompt` for prompts that use the services `S`, or read the `Claims` of the caller. */
export function definePromptWith<S, Claims = JsonObject>() {
  return <const K extends keyof S & string = never>(definition: TypedDefinition<S, K, Claims>): PromptDefinition =>
    definition
}

/** Checks the types of a prompt. */
export const definePrompt = definePromptWith<object>()
