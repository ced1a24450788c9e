// A job that tests type into: each step waits for what it expects, however busy the machine is.

import type { TestOptions } from 'vitest'

import { call, readJob, type TestClient, type ToolResult } from '../support/client.js'
import { eventually } from '../support/eventually.js'
import { canRun, requires } from '../support/requirements.js'

const LONGEST_MS = 120_000

export interface TerminalJob {
  readonly id: number
  read(more?: object): Promise<ToolResult>
  /** Waits for a line that matches. */
  waitFor(pattern: string): Promise<ToolResult>
  /** The same for a prompt, until the program also reads: it may print the prompt some time before. */
  waitForPrompt(pattern: string): Promise<ToolResult>
  type(request: object): Promise<ToolResult>
  /** Reads the screen until it matches. */
  screen(expected: RegExp): Promise<ToolResult>
  end(): Promise<ToolResult>
  kill(): Promise<string>
}

export async function openTerminalJob(client: TestClient, command: string, more: object = {}): Promise<TerminalJob> {
  const { structured, text } = await call(client, 'BackgroundBash', { command, tty: true, ...more })
  if (structured === undefined) throw new Error(text)
  const id: number = structured.task_id
  const read = (request: object = {}): Promise<ToolResult> => readJob(client, id, request)
  const waitFor = (pattern: string): Promise<ToolResult> => read({ wait_for_pattern: pattern, wait_ms: LONGEST_MS })
  return {
    id,
    read,
    waitFor,
    async waitForPrompt(pattern) {
      const found = await waitFor(pattern)
      return found.text.includes('[Waiting for input.]') ? found : read({ wait_ms: LONGEST_MS })
    },
    type: (request) => read({ wait_ms: LONGEST_MS, ...request }),
    screen: (expected) =>
      eventually(
        () => read({ screen: 'full' }),
        ({ text: shown }) => expected.test(shown),
      ),
    end: () => read({ wait_for_end: true, wait_ms: LONGEST_MS }),
    kill: async () => (await call(client, 'KillBgTask', { task_id: id })).text,
  }
}

/** Options of a test that needs these programs. */
export function needs(...programs: readonly string[]): TestOptions {
  return requires(
    ...programs.map((program) => ({
      isMet: canRun('sh', ['-c', `command -v ${program}`]),
      reason: `${program} is not installed`,
    })),
  )
}
