// Confirmation prompts. Enter and `n` mean no; Ctrl+C and Esc cancel.

import { print, terminalStreams, type Streams } from '../terminal.js'

/** Undefined if there is no terminal for prompts. */
export function promptStreams(env: NodeJS.ProcessEnv): Streams | undefined {
  return env.TERM === 'dumb' ? undefined : terminalStreams()
}

/** Undefined if it was cancelled. */
export async function confirmWithDefaultNo(streams: Streams, message: string): Promise<boolean | undefined> {
  const clack = await import('@clack/prompts')
  const answer = await clack.confirm({
    ...streams,
    message,
    initialValue: false,
    active: 'yes',
    inactive: 'no (default)',
  })
  return clack.isCancel(answer) ? undefined : answer
}

export type Scope = 'all' | 'each' | 'none'

/** Asks whether to make one change, or all, some or none of several; undefined if it was cancelled. */
export async function askScope(streams: Streams, count: number): Promise<Scope | undefined> {
  const clack = await import('@clack/prompts')
  await print('\n')
  if (count === 1) {
    const answer = await confirmWithDefaultNo(streams, 'Make this change?')
    return answer === undefined ? undefined : answer ? 'all' : 'none'
  }
  const answer = await clack.selectKey<'n' | 'y' | 'e'>({
    ...streams,
    message: 'Make these changes?',
    initialValue: 'n',
    options: [
      { value: 'n', label: 'No (default, also Enter)' },
      { value: 'y', label: 'Yes, all of them' },
      { value: 'e', label: 'Ask about each' },
    ],
  })
  if (clack.isCancel(answer)) return undefined
  // Enter returns no value.
  return answer === 'y' ? 'all' : answer === 'e' ? 'each' : 'none'
}
