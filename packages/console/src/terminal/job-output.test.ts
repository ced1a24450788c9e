import { expect, test, vi } from 'vitest'

import { Failure } from '@scorpiox/mcp/errors'
import { type ConsoleView, EMPTY_VIEW, type JobView } from '../view.js'
import { type InboxContext, inboxTranslatorFor } from './inbox-context.js'
import { createJobOutput } from './job-output.js'
import { rowText } from './rows.js'

const JOB = { server: 'a', project: '/p', id: 1, tail: '', isRunning: true } as unknown as JobView

function setUp(read: InboxContext['userConsole']['readOutput'], entered: readonly string[] = []) {
  const texts = [...entered]
  const statuses: string[] = []
  const view: ConsoleView = EMPTY_VIEW
  const ui = {
    redraw() {},
    setStatus: (text: string) => void statuses.push(text),
    enterText: () => Promise.resolve(texts.shift()),
    async run(action: () => Promise<string>) {
      statuses.push(await action())
      return true
    },
  }
  const translator = inboxTranslatorFor('en')
  const context = { userConsole: { readOutput: read }, ui, translator, view: () => view } as unknown as InboxContext
  const output = createJobOutput(context)
  const press = async (key: string): Promise<void> => {
    await output
      .bindings(JOB)
      .find(({ keys }) => keys.includes(key))
      ?.run(key)
  }
  const shown = (columns = 40): string => output.rows(columns, JOB).map(rowText).join('\n')
  return { output, press, shown, statuses }
}

const printed = (text: string) => (_: unknown, from: number, maxBytes: number) =>
  Promise.resolve({
    from,
    bytes: Buffer.from(text).subarray(from, from + maxBytes),
    size: Buffer.byteLength(text),
    isRunning: false,
  })

test('following starts again after a failure, and what was shown stays until then', async () => {
  vi.useFakeTimers()
  try {
    let isBusy = false
    let text = 'first\n'
    const { output, shown } = setUp((job, from, maxBytes) =>
      isBusy
        ? Promise.reject(new Failure('It did not respond.'))
        : printed(text)(job, from, maxBytes).then((chunk) => ({ ...chunk, isRunning: true })),
    )
    output.follow(JOB)
    await vi.waitFor(() => expect(shown()).toBe('first'))
    isBusy = true
    await vi.waitFor(() => expect(shown()).toBe('first\nThe output is not up to date. Trying\nagain…'))
    isBusy = false
    text = 'first\nsecond\n'
    output.follow(JOB)
    await vi.advanceTimersByTimeAsync(500)
    expect(shown()).toContain('Trying')
    await vi.advanceTimersByTimeAsync(600)
    output.follow(JOB)
    await vi.waitFor(() => expect(shown()).toBe('first\nsecond'))
    output.stop()
  } finally {
    vi.useRealTimers()
  }
})

test('keeps colours, wraps lines or cuts them', async () => {
  const { output, press, shown } = setUp(printed('plain \u001B[31mred\u001B[0m and more words\nnext\n'))
  output.follow(JOB)
  await vi.waitFor(() => expect(shown()).toContain('next'))
  expect(output.rows(80, JOB)[0]).toContainEqual({ text: 'red', style: expect.objectContaining({ foreground: 1 }) })
  expect(shown(12)).toBe('plain red\nand more\nwords\nnext')
  await press('w')
  expect(shown(12)).toBe('plain red and more words\nnext')
})

test('is searched from its end, without regard to case, around the ends', async () => {
  const { output, press, shown, statuses } = setUp(printed('Needle one\nother\nneedle two and a NEEDLE\n'), [
    'needle',
    '',
  ])
  output.follow(JOB)
  await vi.waitFor(() => expect(shown()).toContain('other'))
  await press('/')
  shown()
  expect(output.takeFoundRow()).toBe(2)
  expect(output.takeFoundRow()).toBeUndefined()
  for (const key of ['N', 'N', 'N', 'n']) await press(key)
  expect(statuses).toEqual(['3 of 3', '2 of 3', '1 of 3', '3 of 3', '1 of 3'])
  expect(output.rows(40, JOB)[0]).toContainEqual({
    text: 'Needle',
    style: expect.objectContaining({ isInverse: true }),
  })
  await press('/')
  expect(JSON.stringify(output.rows(40, JOB))).not.toContain('"isInverse":true')
})

test('what is not in the lines that are shown may be in those before, or nowhere', async () => {
  const long = `needle\n${'a line of output\n'.repeat(100_000)}`
  const { output, press, shown, statuses } = setUp(printed(long), ['needle', 'nothing'])
  output.follow(JOB)
  await vi.waitFor(() => expect(shown()).toContain('a line'))
  await press('/')
  await press('/')
  expect(statuses).toEqual([
    'No match in the lines shown here, but in the output before them. o prints it, s saves it.',
    'No match',
  ])
})
