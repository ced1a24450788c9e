import { expect, test } from 'vitest'

import { createPageDecoder } from './oem-code-pages.js'
import { createOemRecoder, parseCodePage, startRecoded } from './oem-output.js'
import { spawnProcess } from './spawn.js'

/** What arrives of these chunks on a system with this code page. */
function recode(page: number | undefined, ...chunks: readonly (string | readonly number[])[]): string {
  const received: Buffer[] = []
  const recoder = createOemRecoder(
    (chunk) => received.push(chunk),
    () => (page === undefined ? undefined : createPageDecoder(page)),
  )
  for (const chunk of chunks) recoder.push(Buffer.from(chunk))
  recoder.flush()
  return Buffer.concat(received).toString('latin1')
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

test.each([
  [437, [0x81, 0x84, 0xff], 'üä\u00A0'],
  [720, [0x9f, 0xee], 'اى'],
  [737, [0x80, 0x98], 'Αα'],
  [775, [0xd5], 'š'],
  [850, [0x9b, 0xd0], 'øð'],
  [852, [0x9f, 0xa9], 'čę'],
  [855, [0xa0], 'а'],
  [857, [0xa7, 0x8d], 'ğı'],
  [862, [0x80, 0x99], 'אש'],
  [866, [0x8f, 0xe0, 0xa8], 'При'],
  [874, [0xa1], 'ก'],
  [932, [0x83, 0x65, 0x83, 0x58], 'テス'],
  [936, [0xc4, 0xe3], '你'],
  [949, [0xb0, 0xa1], '가'],
  [950, [0xa7, 0x41], '你'],
  [1258, [0xd0], 'Đ'],
])('code page %i', (page, bytes, text) => {
  expect(recode(page, [...bytes, 0x0a])).toBe(utf8(`${text}\n`))
})

test('UTF-8 passes unchanged, wherever it is cut', () => {
  const text = 'ä € 😀 x\nß'
  const bytes = [...Buffer.from(text)]
  for (let at = 0; at <= bytes.length; at++) expect(recode(850, bytes.slice(0, at), bytes.slice(at))).toBe(utf8(text))
  expect(recode(850, ...bytes.map((byte) => [byte]))).toBe(utf8(text))
})

test('each line is decoded for itself, also if it arrives in pieces', () => {
  expect(recode(850, [...Buffer.from('ä\n'), 0x84, 0x0a, ...Buffer.from('ö\n')])).toBe(utf8('ä\nä\nö\n'))
  expect(recode(850, [0x61, 0x84], [0x94, 0x0a], 'ü')).toBe(utf8('aäö\nü'))
  expect(recode(932, [0x83], [0x65, 0x83], [0x58, 0x0a])).toBe(utf8('テス\n'))
})

test('a cut character at the end is of the code page', () => {
  expect(recode(866, 'x ', [0xe0])).toBe(utf8('x р'))
})

test('binary output and unknown code pages stay as they are', () => {
  expect(recode(850, [0x84, 0x00, 0x84], [0x84, 0x0a])).toBe('\u0084\0\u0084\u0084\n')
  expect(recode(undefined, [0x84, 0x0a], [0x84])).toBe('\u0084\n\u0084')
  expect(recode(9999, [0x84, 0x0a])).toBe('\u0084\n')
})

test('the code page is read from the registry', () => {
  expect(parseCodePage('\r\nHKEY_LOCAL_MACHINE\\SYSTEM\r\n    OEMCP    REG_SZ    850\r\n\r\n')).toBe(850)
  expect(parseCodePage('')).toBeUndefined()
})

test('a program is started with recoded output, and nothing is missing when its output is complete', async () => {
  const received: Buffer[] = []
  const program = await startRecoded(
    (onOutput) =>
      spawnProcess({ file: process.execPath, args: ['-e', WRITE_CUT], cwd: process.cwd(), env: process.env, onOutput }),
    (chunk) => received.push(chunk),
  )
  await program.closed
  // Where there is no registry of Windows, the bytes stay as they are.
  expect(Buffer.concat(received).subarray(0, 3).toString()).toBe('ä ')
  expect(Buffer.concat(received).length).toBeGreaterThan(3)
})

/** Ends with the first byte of a character. */
const WRITE_CUT = 'process.stdout.write(Buffer.from([0xc3, 0xa4, 0x20, 0xc3]))'
