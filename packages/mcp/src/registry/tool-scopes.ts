// Which tools a caller may use by the scopes of its credential. Callers without authentication (stdio, or HTTP without
// `auth`) may use all. Used by tool-registry.ts for lists, by methods/tools.ts for calls and by the HTTP endpoints. Pure.

import type { AuthContext } from '../definitions/auth-context.js'
import type { ToolDeclaration } from '../definitions/tool.js'

interface Restricted {
  readonly scopes?: readonly string[] | undefined
}

export function hasScopesFor({ scopes }: Restricted, auth: AuthContext<unknown> | undefined): boolean {
  return !scopes || !auth || scopes.every((scope) => auth.scopes.includes(scope))
}

export function describeMissingScopes({ name, scopes = [] }: ToolDeclaration): string {
  return `${name} needs a credential with the scopes: ${scopes.join(' ')}`
}
