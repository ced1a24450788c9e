// Shared by the tests of passwords that commands ask for: a server over stdio beside `scorpiox-code ui`, answers through the
// page's routes, and a search for values in everything that is stored or was sent.

import { execFileSync } from 'node:child_process'

import type { SecretView } from '@scorpiox/console/view'
import { startServer, type TestClient } from '../support/client.js'
import {
  type ConsoleStream,
  type Machine,
  newMachine,
  newProject,
  sendCommand,
  startUi,
  watchConsole,
} from '../support/console-client.js'
import type { HttpServer } from '../support/http-client.js'
import { requires } from '../support/requirements.js'

export const LINUX = requires({
  isMet: process.platform === 'linux',
  reason: 'commands can ask for passwords on Linux only',
})

/** What `afterAll` closes: hooks of single tests are mixed up where tests run at the same time. */
export const closing: (() => Promise<unknown>)[] = []

export interface SecretSetup {
  readonly machine: Machine
  readonly project: string
  readonly ui: HttpServer
  readonly client: TestClient
  readonly watched: ConsoleStream
  /** The next question that is not answered yet. */
  readonly next: () => Promise<SecretView>
  readonly answer: (question: SecretView, value: string | null) => Promise<{ status: number; error: string }>
}

export async function openSetup(env: NodeJS.ProcessEnv = {}): Promise<SecretSetup> {
  const machine = newMachine()
  const project = newProject(machine, 'one')
  const client = startServer({ cwd: project, env: { HOME: machine.home, ASK_WAIT: '60', ...env } })
  await client.initialize('2025-11-25')
  closing.push(() => client.close())
  const ui = await startUi(machine)
  closing.push(() => ui.stop())
  const watched = await watchConsole(ui)
  await watched.until(({ servers }) => servers.some(({ pid }) => pid === client.child.pid))
  const answered = new Set<string>()
  const find = (): SecretView | undefined => watched.view().secrets.find(({ id }) => !answered.has(id))
  return {
    machine,
    project,
    ui,
    client,
    watched,
    async next() {
      await watched.until(() => find() !== undefined)
      return find()!
    },
    async answer({ server, id }, value) {
      answered.add(id)
      const { status, json } = await sendCommand(ui, 'secret', { server, id, value })
      return { status, error: json?.error ?? '' }
    },
  }
}

/** The files below these folders that contain one of the values, in any encoding that the server writes. */
export function findFilesWith(values: readonly string[], ...folders: readonly string[]): readonly string[] {
  const patterns = values.flatMap((value) => [
    '-e',
    value,
    '-e',
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
  ])
  try {
    return execFileSync('grep', ['-rlaF', ...patterns, ...folders], { encoding: 'utf8' })
      .trim()
      .split('\n')
  } catch {
    // Exit code 1: none.
    return []
  }
}
