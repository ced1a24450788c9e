// What the screen shows as xterm does, where the library that renders it does not; that fails if a new version of the
// library is built differently inside.

import { expect, test } from 'vitest'

import { openTerminalScreen } from './terminal-screen.js'

const ALTERNATE = '\u001B[?1049h'
const NORMAL = '\u001B[?1049l'

async function show(text: string, size = { cols: 10, rows: 4 }): Promise<readonly string[]> {
  const screen = await openTerminalScreen(size, 0)
  await screen.write(Buffer.from(text))
  return screen.rows(screen.top).map((row) => row.text)
}

test('a line that is full goes on in the next one after the alternate screen', async () => {
  expect(await show(`0123456789${ALTERNATE}x${NORMAL}abc`)).toEqual(['0123456789', 'abc'])
})

test('the cursor that is saved on the alternate screen stays behind the last column', async () => {
  expect(await show(`${ALTERNATE}\u001B[H0123456789\u001B7\u001B[3H\u001B8abc`)).toEqual(['0123456789', 'abc'])
})

test('margins apply to both screens', async () => {
  expect(await show(`${ALTERNATE}\u001B[1;2r${NORMAL}\u001B[Ha\r\nb\r\nc`)).toEqual(['b', 'c'])
})

test('line drawing characters have a blank', async () => {
  expect(await show('\u001B(0lq_qk\u001B(B_')).toEqual(['┌─ ─┐_'])
})

test('132 columns begin with an empty screen, and leaving them that were not there changes nothing', async () => {
  expect(await show('old\u001B[?3hnew')).toEqual(['new'])
  expect(await show('old\u001B[?3lnew')).toEqual(['oldnew'])
})
