// Everything that a caller can make the server keep has a bound: each collection and each table is listed with its own.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { BOUNDED_COLLECTIONS, BOUNDED_TABLES } from './bounded-collections.js'
import { findGrowingCollections, findTables } from './growing-collections.js'
import { readSources } from './support/sources.js'

const SOURCES = readSources()
const MIGRATIONS = readFileSync(resolve(import.meta.dirname, '../packages/server/src/storage/migrations.ts'), 'utf8')
/** The pages run in a browser and keep what one person sees. */
const isOfServer = (name: string): boolean => !/^(console|dev)\/page\//.test(name)

test('every collection that grows has a bound', () => {
  expect(findGrowingCollections(SOURCES).filter(isOfServer)).toEqual(Object.keys(BOUNDED_COLLECTIONS).toSorted())
})

test('every table has a bound', () => {
  expect(findTables(MIGRATIONS)).toEqual(Object.keys(BOUNDED_TABLES).toSorted())
  expect(findTables(`${MIGRATIONS}\nCREATE TABLE planted (id)`)).toContain('planted')
})

test.each([
  [
    'a map of a service',
    'export function createThings() {\n  const byUser = new Map<string, string>()\n  return { keep: (user: string) => byUser.set(user, "x") }\n}',
    'byUser',
  ],
  ['a list of a module', 'const all: string[] = []\nexport const keep = (text: string) => all.push(text)', 'all'],
  [
    'a set of a class',
    'export class Things {\n  readonly #kept = new Set<string>()\n  keep(text: string) { this.#kept.add(text) }\n}',
    'kept',
  ],
  [
    'a member of the result of a factory',
    'export function openThings() {\n  return { seen: new Set<string>() }\n}\nexport const note = (things: any, x: string) => things.seen.add(x)',
    'seen',
  ],
])('finds %s', (_, text, name) => {
  const planted = new Map(SOURCES).set('server/planted.ts', text)
  expect(findGrowingCollections(planted)).toContain(`server/planted.ts ${name}`)
})

test('what one call collects is not counted', () => {
  const text =
    'export function readAll(stream: any) {\n  const chunks: Buffer[] = []\n  stream.on("data", (x: Buffer) => chunks.push(x))\n}'
  expect(findGrowingCollections(new Map([['server/planted.ts', text]]))).toEqual([])
})
