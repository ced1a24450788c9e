// Shared by the script tool tests: a folder of scripts, a server that uses it, and its list of tools.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll } from 'vitest'

import { type Json, startServer, type TestClient } from '../support/client.js'

const folders: string[] = []
const clients: TestClient[] = []

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export interface ScriptProject {
  readonly home: string
  readonly project: string
  /** The folder of scripts. */
  readonly tools: string
}

/** Not in /tmp: sandboxed commands have a private one. */
export function newScriptProject(scripts: Readonly<Record<string, string>> = {}): ScriptProject {
  const home = mkdtempSync('/var/tmp/scorpiox-scripts-')
  folders.push(home)
  const directories = { home, project: join(home, 'project'), tools: join(home, 'tools') }
  mkdirSync(directories.project)
  mkdirSync(directories.tools)
  for (const [file, text] of Object.entries(scripts)) put(directories, file, text)
  return directories
}

export function put({ tools }: ScriptProject, file: string, text: string, mode = 0o755): string {
  const path = join(tools, file)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

export async function startIn(
  { home, project, tools }: ScriptProject,
  env: NodeJS.ProcessEnv = {},
): Promise<TestClient> {
  const client = startServer({ cwd: project, env: { HOME: home, SCRIPT_TOOLS: tools, ...env } })
  clients.push(client)
  await client.initialize('2025-11-25')
  return client
}

/** The script tools, by name. */
export async function scriptsOf(client: TestClient): Promise<Readonly<Record<string, Json>>> {
  const { result } = await client.request('tools/list')
  const all: Json[] = result.tools
  return Object.fromEntries(all.filter(({ name }) => !BUILT_IN_TOOLS.has(name)).map((tool) => [tool.name, tool]))
}

const BUILT_IN_TOOLS: ReadonlySet<string> = new Set(
  `Bash ReadImage ReadDocs WebSearch TaskManager PlanMode AskUserQuestion InvokeSkill BackgroundBash ReadBgOutput
   ListBgTasks KillBgTask SetCallback`.split(/\s+/),
)

/** A bash script with a description of one line and the given body. */
export function bashScript(body: string, schema = 'A script.'): string {
  return `#!/bin/bash\nif [[ $1 == --schema ]]; then cat <<'END'\n${schema}\nEND\nexit; fi\n${body}\n`
}
