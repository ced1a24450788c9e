import { expect, test } from 'vitest'

import { loadSqlite, type SqliteLibrary } from './sqlite-loader.js'

function libraryOf(version: string, fts5 = 1): SqliteLibrary {
  return {
    DatabaseSync: class {
      exec(): void {}
      close(): void {}
      prepare() {
        return { all: () => [{ version, fts5 }] }
      }
    },
  }
}

test('this machine has a recent SQLite', async () => {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(':memory:')
  expect(database.prepare('SELECT 1 AS one').all()).toMatchObject([{ one: 1 }])
  database.close()
})

test.each(['3.51.3', '3.51.10', '3.52.0', '3.100.0', '4.0.0'])('%s is accepted', async (version) => {
  const library = libraryOf(version)
  expect(await loadSqlite([() => undefined, () => library])).toBe(library)
})

test.each(['3.51.2', '3.50.9', '3.7.0', '2.99.99', ''])(
  '%s is refused and the next source is tried',
  async (version) => {
    const recent = libraryOf('3.53.0')
    expect(await loadSqlite([() => libraryOf(version), () => recent])).toBe(recent)
    await expect(loadSqlite([() => libraryOf(version), () => undefined])).rejects.toThrow(
      /several processes.*npm install @photostructure\/sqlite/,
    )
  },
)

test('one without FTS5 is refused and the next source is tried', async () => {
  const complete = libraryOf('3.53.0')
  expect(await loadSqlite([() => libraryOf('3.53.0', 0), () => complete])).toBe(complete)
  await expect(loadSqlite([() => libraryOf('3.53.0', 0)])).rejects.toThrow(/without FTS5.*npm install @photostructure/)
})

test('says what to install if there is none', async () => {
  await expect(loadSqlite([() => undefined, () => ({})])).rejects.toThrow(
    /no SQLite.*npm install @photostructure\/sqlite.*Node\.js 22.*DATABASE_URL/,
  )
})
