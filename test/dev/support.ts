// Starts the real command `dev` on a server in a folder of its own.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import { cleanEnv, emptyFolder } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { RUNTIME_FLAGS } from '../support/runtime.js'

const ROOT = resolve(import.meta.dirname, '../..')
/** The program of the library's package. */
export const LIBRARY_PROGRAM = join(ROOT, 'packages/mcp/dist/dev/scorpiox-mcp.mjs')
const LIBRARY = pathToFileURL(join(ROOT, 'packages/mcp/dist/index.mjs')).href

/** The server of the fixture, which imports the built library. */
export const DEMO = readFileSync(join(ROOT, 'test/fixture/dev-server.mjs'), 'utf8').replace(
  '../../dist/library.mjs',
  LIBRARY,
)

/** A server with one tool. */
export function serverWithTool(name: string, more = ''): string {
  return `import { defineTool, serve } from '${LIBRARY}'
${more}
await serve({ name: 'small', version: '1', tools: [defineTool({ name: '${name}', run: () => 'from ${name}' })] })
`
}

export interface RunningDev {
  readonly child: ChildProcess
  readonly folder: string
  /** The link that it printed, and its origin. */
  readonly url: string
  readonly origin: string
  readonly key: string
  /** What it has printed so far. */
  output(): string
  /** Writes a file of the server's folder, in one step: on a busy machine two would restart the server twice. */
  write(name: string, text: string): void
  /** A request to an action of the page, with its key. */
  post(path: string, body: object, headers?: Record<string, string>): Promise<Response>
  /** Stops it as Ctrl+C does; resolves to the exit code. */
  stop(): Promise<number | null>
}

export interface DevSetup {
  readonly files: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly program?: string
}

export async function startDev({
  files,
  args = ['server.mjs'],
  program = LIBRARY_PROGRAM,
}: DevSetup): Promise<RunningDev> {
  const folder = emptyFolder()
  const write = (name: string, text: string): void => {
    writeFileSync(join(folder, `${name}.tmp`), text)
    renameSync(join(folder, `${name}.tmp`), join(folder, name))
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  const child = spawn(process.execPath, [...RUNTIME_FLAGS, program, 'dev', ...args], {
    cwd: folder,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = once(child, 'exit').then(([code]: unknown[]) => (typeof code === 'number' ? code : null))
  await eventually(
    () => output,
    (text) => text.includes('#key=') || child.exitCode !== null,
  )
  const url = /http:\S+/.exec(output)?.[0] ?? ''
  const { origin, hash } = url === '' ? { origin: '', hash: '' } : new URL(url)
  const key = hash.replace('#key=', '')
  return {
    child,
    folder,
    url,
    origin,
    key,
    output: () => output,
    write,
    post: (path, body, headers = {}) =>
      fetch(origin + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify(body),
      }),
    async stop() {
      child.kill('SIGINT')
      return exited
    },
  }
}
