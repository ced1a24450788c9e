import { describe, expect, test } from 'vitest'

import type { OutputChunk } from './output-chunk.js'
import { type OutputPartPosition, type ReadOutputChunk, streamOutput } from './output-stream.js'
import type { OutputEvent } from './view.js'

const MEGABYTE = 1024 * 1024

const numbered = (count: number): string => Array.from({ length: count }, (_, line) => `line ${line}\n`).join('')

describe('parts of an output', () => {
  test('a short output is one part, from either end', async () => {
    for (const start of [{ from: 0 }, 'end'] as const) {
      const [event, ...more] = await eventsOf(printed('one\n10%\r20%\ntwo'), start)
      expect(more).toEqual([])
      expect(event).toEqual({
        from: 0,
        next: 15,
        size: 15,
        isRunning: false,
        missing: 0,
        text: 'one\n20%\ntwo',
        open: '',
        isLast: true,
      })
    }
  })

  test('the parts form the whole output, read forwards and backwards', async () => {
    const text = numbered(600_000)
    const read = printed(text)
    const forwards: string[] = []
    for (let next = 0; next < text.length;) {
      const events = await eventsOf(read, { from: next })
      forwards.push(textOf(events))
      expect(events[0]?.from).toBe(next)
      next = events.at(-1)?.next ?? Infinity
    }
    expect(forwards.join('') === text).toBe(true)
    expect(forwards.map(({ length }) => length).filter((length) => length > 2 * MEGABYTE)).toEqual([])

    let events = await eventsOf(read, 'end')
    const backwards = [textOf(events)]
    while ((events[0]?.from ?? 0) > 0) {
      events = await eventsOf(read, { before: events[0]?.from ?? 0 })
      backwards.unshift(textOf(events))
    }
    expect(backwards.join('') === text).toBe(true)
    expect(backwards.map((part) => part.slice(-100)).filter((end) => !end.endsWith('\n'))).toEqual([])
  })

  test('does not split a character in output without line breaks', async () => {
    const text = '한'.repeat(MEGABYTE)
    const read = printed(text)
    const size = Buffer.byteLength(text)
    let joined = ''
    for (let next = 0; next < size;) {
      const events = await eventsOf(read, { from: next })
      joined += textOf(events)
      next = events.at(-1)?.next ?? Infinity
    }
    expect(joined === text).toBe(true)
    expect(textOf(await eventsOf(read, 'end'))).not.toContain('\uFFFD')
  })

  test('reports dropped bytes at their position, from both sides', async () => {
    const bytes = Buffer.from(numbered(2_000_000))
    const [gap, until] = [3 * MEGABYTE, bytes.length - 500_000]
    const read = printed(bytes, { dropped: [gap, until] })
    const end = await eventsOf(read, 'end')
    expect(end[0]).toMatchObject({ from: until, missing: 0 })
    const before = await eventsOf(read, { before: until })
    expect(before.at(-1)).toMatchObject({ next: until, missing: until - gap, isLast: true })
    expect(bytes.subarray(0, gap).toString().endsWith(textOf(before))).toBe(true)
    expect(textOf(before).length).toBeGreaterThan(MEGABYTE / 3)
    const small = printed(`${numbered(10)}${'x'.repeat(500)}end\n`, { dropped: [25, 570] })
    const openRows = (await eventsOf(small, { from: 0 })).map(({ missing, text }) => `${missing} ${text}`)
    expect(openRows).toEqual(['0 ', '0 line 0\nline 1\nline 2\nline', '545 end\n'])
  })
})

describe('a running job', () => {
  test('is followed to its end, replacing rows that change', async () => {
    const steps = ['begun\n', 'begun\n10%', 'begun\n10%\r99%', 'begun\n10%\r99%\ndone\n']
    let step = 0
    const read: ReadOutputChunk = (from, maxBytes) => {
      const chunk = printed(steps[step] ?? '')(from, maxBytes)
      const isRunning = step < steps.length - 1
      if (maxBytes > 0 && from >= Buffer.byteLength(steps[step] ?? '')) step = Math.min(step + 1, steps.length - 1)
      return chunk.then((found) => ({ ...found, isRunning }))
    }
    const events = await eventsOf(read, 'end')
    expect(events.map(({ text, open }) => text + open).at(-1)).toContain('done')
    let text = ''
    const openRows = events.map((event) => (text += event.text) + event.open)
    expect(openRows.at(-1)).toBe('begun\n99%\ndone\n')
    expect(openRows).toContain('begun\n10%')
    expect(events.at(-1)).toMatchObject({ isLast: true, isRunning: false })
  })

  test('stops when aborted', async () => {
    const stop = new AbortController()
    const read: ReadOutputChunk = async (from, maxBytes) => ({
      ...(await printed('x')(from, maxBytes)),
      isRunning: true,
    })
    const events: OutputEvent[] = []
    for await (const event of streamOutput(read, 'end', stop.signal)) {
      events.push(event)
      stop.abort()
    }
    expect(events.map(({ open, isLast }) => ({ open, isLast }))).toEqual([{ open: 'x', isLast: false }])
  })

  test('ends the part at its maximum size while the job keeps printing', async () => {
    const read: ReadOutputChunk = (from, maxBytes) =>
      Promise.resolve({ from, bytes: Buffer.alloc(maxBytes, 'a line of text\n'), size: 1e12, isRunning: true })
    const events = await eventsOf(read, { from: 0 })
    expect(events.at(-1)?.isLast).toBe(true)
    expect(textOf(events).length).toBeLessThanOrEqual(2 * MEGABYTE)
  })
})

/** Everything that was printed, except for one dropped range. */
function printed(
  output: string | Buffer,
  { dropped }: { readonly dropped?: readonly [number, number] } = {},
): ReadOutputChunk {
  const all = Buffer.from(output)
  return (wanted, maxBytes): Promise<OutputChunk> => {
    const [gap = Infinity, until = Infinity] = dropped ?? []
    const from = wanted >= gap && wanted < until ? until : wanted
    const end = Math.min(from + maxBytes, from < gap ? gap : Infinity)
    return Promise.resolve({ from, bytes: all.subarray(from, end), size: all.length, isRunning: false })
  }
}

async function eventsOf(read: ReadOutputChunk, start: OutputPartPosition): Promise<readonly OutputEvent[]> {
  const events: OutputEvent[] = []
  for await (const event of streamOutput(read, start, new AbortController().signal)) events.push(event)
  return events
}

function textOf(events: readonly OutputEvent[]): string {
  return events.map(({ text }) => text).join('')
}
