// Servers with WORKSPACE_ROOT and their callers, for the tests of workspaces.

import { mkdtempSync } from 'node:fs'

import { emptyFolder, type Json } from '../support/client.js'
import { type HttpServer, modernCall, sendRequest, startProgram } from '../support/http-client.js'

export interface WorkspaceServer {
  readonly server: HttpServer
  /** The folder with the directories of the users. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Not in /tmp, which commands do not see. */
export const newWorkspaceFolder = (): string => mkdtempSync('/var/tmp/scorpiox-work-')

export async function startWorkspaceServer(
  more: NodeJS.ProcessEnv = {},
  folder = newWorkspaceFolder(),
  flags: readonly string[] = [],
): Promise<WorkspaceServer> {
  const env = { STATE_DIR: emptyFolder(), WORKSPACE_ROOT: `${folder}/{user}`, ...more }
  return { server: await startProgram({ env, flags }), folder, env }
}

export interface CallOutcome {
  readonly text: string
  readonly isError: boolean
}

export async function callAs(server: HttpServer, token: string, tool: string, args: object): Promise<CallOutcome> {
  const { status, text, json } = await sendRequest(server, { ...modernCall(tool, args), token })
  if (status !== 200) throw new Error(`${status} ${text}`)
  const { result, error }: Json = json
  if (error) throw new Error(JSON.stringify(error))
  return {
    text: result.content.map((block: Json) => block.text ?? block.type).join('\n'),
    isError: result.isError === true,
  }
}

export async function bashAs(server: HttpServer, token: string, command: string): Promise<string> {
  return (await callAs(server, token, 'Bash', { command })).text
}
