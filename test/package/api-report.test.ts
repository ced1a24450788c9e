import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { apiReport } from '../../scripts/api-report.mjs'
import { emptyFolder } from '../support/client.js'

function reportOf(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'deep'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return apiReport(join(folder, 'library.d.ts'))
}

const LIBRARY = `
import type { Inner } from './deep/inner.js';
export { Thing as Renamed } from './deep/inner.js';
export declare function use(inner: Inner, more: import('./deep/inner.js').Later): void;
export declare function use(inner: string): void;
`
const INNER = `
/** A comment, not part of the shape. */
export interface Inner { readonly a: Hidden }
interface Hidden { b: string }
interface Unreached { z: 1 }
export type Later = 'later';
export declare class Thing {
    #private;
    private readonly secret;
    private help(it: Unreached): void;
    get open(): boolean;
}
`

test('contains the exports and what they refer to, without private members', () => {
  const [, exported = '', reached = ''] = reportOf({ 'library.d.ts': LIBRARY, 'deep/inner.d.ts': INNER }).split(
    '```ts\n',
  )
  expect(exported).toContain('class Thing {\n  get open(): boolean;\n}\nexport { Thing as Renamed }')
  expect(exported).toContain('function use(inner: Inner, more: Later): void;\nfunction use(inner: string): void;')
  expect(reached).toMatch(/interface Hidden.*\n\ninterface Inner.*\n\ntype Later = 'later';/)
  expect(exported + reached).not.toMatch(/secret|private|help|Unreached|A comment/)
})

test('comments, order and file of a declaration do not matter, its shape does', () => {
  const before = reportOf({ 'library.d.ts': LIBRARY, 'deep/inner.d.ts': INNER })
  const moved = INNER.replace("export type Later = 'later';\n", '').replace('Said', 'Told')
  const same = reportOf({ 'library.d.ts': LIBRARY, 'deep/inner.d.ts': `export type Later = 'later';\n${moved}` })
  const other = reportOf({ 'library.d.ts': LIBRARY, 'deep/inner.d.ts': INNER.replace('b: string', 'b?: string') })
  expect(same).toBe(before)
  expect(other).not.toBe(before)
})
