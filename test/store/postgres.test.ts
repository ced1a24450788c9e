// The contract on PostgreSQL, and what is specific to a server: it stops, restarts, refuses.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, test } from 'vitest'

import { formatStateExport, parseStateExport } from '@scorpiox/app/cli/state/state-document'
import { exportState, importState } from '@scorpiox/app/cli/state/transfer'
import { openStateDatabase, type StateDatabase } from '@scorpiox/server/state'
import { openDatabase } from '@scorpiox/server/storage/open-database'
import { emptyFolder } from '../support/client.js'
import { requires } from '../support/requirements.js'
import { describeContract } from './contract.js'
import { operation, doBoth, emptyModel } from './model.js'
import { postgresRequirement, type PostgresServer, startPostgres } from './postgres-server.js'
import { acknowledgedTo, startWriter } from './writers.js'

const SCOPE = { project: '/srv/project', user: 'ann' }
const PASSWORD = 'not-to-be-printed'

const server = await startPostgres()
afterAll(() => server?.stop('immediate'))

if (!server) test('a PostgreSQL server', requires(postgresRequirement(server)), () => {})
else {
  describeContract('PostgreSQL', async () => ({ file: '', databaseUrl: await server.database() }))
  describeServer(server)
}

function describeServer({ database, sql, start, stop }: PostgresServer): void {
  describe('a PostgreSQL server', () => {
    const opened: StateDatabase[] = []
    const open = async (databaseUrl: string): Promise<StateDatabase> => {
      const state = await openStateDatabase({ file: '', databaseUrl })
      opened.push(state)
      return state
    }
    const write = (state: StateDatabase, name: string) => state.write(SCOPE, (rows) => rows.tasks.insert(name, 1))
    const names = async (state: StateDatabase) => {
      const tasks = await state.read(SCOPE, (rows) => rows.tasks.list({ terms: [] }, 100))
      return tasks.map(({ name }) => name).toReversed()
    }
    const failureOf = async (work: Promise<unknown>): Promise<string> => {
      const error: unknown = await work.then(
        () => new Error('it succeeded'),
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({ name: 'Failure' })
      const { message } = error as Error
      expect(message).not.toContain(PASSWORD)
      return message
    }

    afterEach(async () => void (await Promise.all(opened.splice(0).map((state) => state.close()))))

    test('keeps everything in a separate schema', async () => {
      const address = await database()
      await sql('CREATE TABLE tasks (theirs TEXT)', address)
      const state = await open(address)
      await write(state, 'one')
      expect(await sql('SELECT count(*)::int AS ours FROM scorpiox.tasks', address)).toEqual([{ ours: 1 }])
      expect(await sql('SELECT * FROM public.tasks', address)).toEqual([])
    })

    test('8 concurrently started processes create the tables once, and all 40 writes of each are kept', async () => {
      const location = { file: '', databaseUrl: await database() }
      const writers = Array.from({ length: 8 }, (_, index) =>
        startWriter({ location, name: `${index}`, how: 'together' }),
      )
      const ends = await Promise.all(writers.map(({ ended }) => ended))
      expect(ends).toEqual(ends.map(() => ({ code: 0, stderr: '' })))
      const ids = writers.flatMap((writer) => [...acknowledgedTo(writer).keys()])
      expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 320 }, (_, index) => index + 1))
    })

    test('that stops is a failure, and after its restart work continues', async () => {
      const state = await open(await database())
      await Promise.all(['one', 'two', 'three', 'four'].map((name) => write(state, name)))
      for (const how of ['fast', 'immediate'] as const) {
        stop(how)
        expect(await failureOf(write(state, 'lost'))).toMatch(/cannot be reached .*nothing was changed.*try again/)
        expect(await failureOf(names(state))).toMatch(/cannot be reached/)
        start()
        await write(state, how)
      }
      expect((await names(state)).sort()).toEqual(['fast', 'four', 'immediate', 'one', 'three', 'two'])
    })

    test('that stops in the middle of a transaction leaves nothing of it', async () => {
      const state = await open(await database())
      await write(state, 'one')
      const broken = state.write(SCOPE, async (rows) => {
        await rows.tasks.insert('half', 1)
        stop('immediate')
        await rows.tasks.insert('done', 1)
      })
      expect(await failureOf(broken)).toMatch(/cannot be reached .*nothing was changed/)
      start()
      expect(await names(state)).toEqual(['one'])
    })

    test('that stops at the commit: the outcome is reported as unknown', async () => {
      const state = await open(await database())
      await write(state, 'one')
      const broken = state.write(SCOPE, async (rows) => {
        await rows.tasks.insert('perhaps', 1)
        stop('immediate')
      })
      expect(await failureOf(broken)).toMatch(/the change may or may not be stored: check before repeating it/)
      start()
      expect(['one', 'one,perhaps']).toContain(String(await names(state)))
    })

    test('reports what is wrong with the address, the database, its user and its encoding, never the password', async () => {
      const address = await database()
      const of = async (url: string) => failureOf(write(await open(url), 'x'))
      expect(await of(`not-${PASSWORD}-an-address`)).toMatch(/DATABASE_URL is not a PostgreSQL URL such as/)
      expect(await of(`mysql://u:${PASSWORD}@127.0.0.1/x`)).toMatch(/DATABASE_URL is not a PostgreSQL URL/)
      expect(await of(`postgres://u:${PASSWORD}@127.0.0.1:1/x`)).toMatch(/127\.0\.0\.1:1\/x cannot be reached/)
      expect(await of(address.replace(/test_\d+$/, 'nowhere'))).toMatch(/nowhere does not exist/)
      expect(await of(address.replace('postgres:not', 'stranger:not'))).toMatch(/refuses the user or the password/)
      await sql(`CREATE ROLE reader LOGIN; REVOKE CREATE ON DATABASE ${address.split('/').at(-1)} FROM PUBLIC`)
      expect(await of(address.replace('postgres:not', 'reader:not'))).toMatch(/grant it CREATE on the database/)
      const latin = await database("ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
      expect(await of(latin)).toMatch(/encoded not as UTF8 but as LATIN1/)
    })

    test('with tables of a newer program is refused; if the tables were deleted it gets new ones', async () => {
      const address = await database()
      const state = await open(address)
      await write(state, 'one')
      await sql('UPDATE scorpiox.version SET number = 99', address)
      expect(await failureOf(write(state, 'two'))).toMatch(/written by a newer scorpiox-code; update this one/)
      await sql('DROP SCHEMA scorpiox CASCADE', address)
      await write(state, 'three')
      expect(await names(state)).toEqual(['three'])
    })

    describe('with another role that may create schemas', () => {
      /** Makes the role a superuser if the program runs it. */
      const PAYLOAD = (role: string) => `LANGUAGE plpgsql AS $$ BEGIN ALTER ROLE ${role} SUPERUSER; RETURN NULL; END $$`
      let roles = 0

      /** The address of a database in which a new role may create schemas, and how to act as that role. */
      async function withRole() {
        const role = `mallory_${++roles}`
        const address = await database()
        await sql(`CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${address.split('/').at(-1)} TO ${role}`)
        const asRole = (text: string) => sql(text, address.replace('postgres:not', `${role}:not`))
        const isSuperuser = async () => (await sql(`SELECT rolsuper FROM pg_roles WHERE rolname = '${role}'`))[0]
        return { role, address, asRole, isSuperuser }
      }

      const lock = (role: string) =>
        `CREATE FUNCTION scorpiox.pg_advisory_xact_lock(bigint) RETURNS int ${PAYLOAD(role)}`
      const view = (role: string) =>
        `CREATE FUNCTION scorpiox.evil() RETURNS int ${PAYLOAD(role)};
         CREATE VIEW scorpiox.version AS SELECT scorpiox.evil() AS number`
      const operator = (role: string) =>
        `CREATE FUNCTION scorpiox.evil(name, name) RETURNS bool ${PAYLOAD(role)};
         CREATE OPERATOR scorpiox.= (LEFTARG = name, RIGHTARG = name, FUNCTION = scorpiox.evil)`

      test.each([
        ['a function of the migration', lock],
        ['a view in place of a table', view],
        ['an operator', operator],
        ['nothing yet', () => ''],
      ])('uses nothing of a schema that the role has created, with %s in it', async (_, plant) => {
        const { role, address, asRole, isSuperuser } = await withRole()
        await asRole(`CREATE SCHEMA scorpiox; GRANT ALL ON SCHEMA scorpiox TO PUBLIC; ${plant(role)}`)
        const state = await open(address)
        const message = await failureOf(write(state, 'one'))
        expect(message).toContain(`has a schema scorpiox that belongs to "${role}", not to "postgres"`)
        expect(message).toContain('run DROP SCHEMA scorpiox CASCADE')
        expect(await failureOf(names(state))).toContain(`belongs to "${role}"`)
        expect(await isSuperuser()).toEqual({ rolsuper: false })
        await sql('DROP SCHEMA scorpiox CASCADE', address)
        await write(state, 'two')
        expect(await names(state)).toEqual(['two'])
      })

      test('uses nothing of its own schema while the role may create objects in it', async () => {
        const { role, address, asRole, isSuperuser } = await withRole()
        await sql(`CREATE SCHEMA scorpiox; GRANT ALL ON SCHEMA scorpiox TO ${role}`, address)
        await asRole(view(role))
        expect(await failureOf(write(await open(address), 'one'))).toMatch(
          /a schema scorpiox in which other roles may create objects.*REVOKE CREATE ON SCHEMA scorpiox/,
        )
        await sql(`REVOKE ALL ON SCHEMA scorpiox FROM ${role}`, address)
        const message = await failureOf(write(await open(address), 'one'))
        expect(message).toContain(`a schema scorpiox that contains objects of "${role}"`)
        expect(await isSuperuser()).toEqual({ rolsuper: false })
      })

      test('several logins share the schema of one role that they take on', async () => {
        const { role: team, address } = await withRole()
        const logins = ['ann', 'bob'].map((name) => `${name}_of_${team}`)
        for (const login of logins) await sql(`CREATE ROLE ${login} LOGIN IN ROLE ${team}`)
        const states = await Promise.all(
          logins.map((login) => open(`${address.replace('postgres:not', `${login}:not`)}?options=-c%20role%3D${team}`)),
        )
        for (const [at, state] of states.entries()) await write(state, `${at}`)
        for (const state of states) expect(await names(state)).toEqual(['0', '1'])
        // Without the role it is the schema of another one.
        const alone = await open(address.replace('postgres:not', `${logins[0]}:not`))
        expect(await failureOf(names(alone))).toContain(`belongs to "${team}", not to "${logins[0]}"`)
      })

      test('notices between two transactions that the schema has been replaced', async () => {
        const { role, address, asRole, isSuperuser } = await withRole()
        const state = await open(address)
        await write(state, 'one')
        await sql('DROP SCHEMA scorpiox CASCADE', address)
        await asRole(`CREATE SCHEMA scorpiox; GRANT ALL ON SCHEMA scorpiox TO PUBLIC; ${view(role)}`)
        expect(await failureOf(names(state))).toContain(`belongs to "${role}"`)
        expect(await isSuperuser()).toEqual({ rolsuper: false })
      })
    })

    test('no function or operator of our schema stands in for one of PostgreSQL', async () => {
      const address = await database()
      const called = calledNames()
      expect(called).toEqual(expect.arrayContaining(['count', 'pg_advisory_xact_lock', 'set_config', 'strpos']))
      await sql(`CREATE SCHEMA scorpiox; ${plantFunctions(called)}`, address)
      const planted = await sql(
        `SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'scorpiox'::regnamespace ORDER BY 1`,
        address,
      )
      expect(planted).toEqual(expect.arrayContaining([{ proname: 'pg_advisory_xact_lock' }, { proname: 'strpos' }]))
      const state = await open(address)
      for (const each of ['one', 'two']) await write(state, each)
      const found = await state.read(SCOPE, (rows) => rows.tasks.list({ terms: ['tw'] }, 100))
      expect(found.map(({ name }) => name)).toEqual(['two'])
    })

    test('imports the export of SQLite and exports the same', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('/a', '/b'), operation)), async (operations) => {
          const lite = { file: `${emptyFolder()}/state.db`, databaseUrl: '' }
          const state = await openStateDatabase(lite)
          const models = { '/a': emptyModel(), '/b': emptyModel() }
          for (const [project, each] of operations) {
            await state.write({ project, user: 'ann' }, (rows) => doBoth(rows, models[project], each))
          }
          await state.close()
          const first = await openDatabase(lite)
          const text = formatStateExport(await exportState(first))
          await first.close()
          const there = await openDatabase({ file: '', databaseUrl: await database() })
          await importState(there, parseStateExport(text), false)
          expect(formatStateExport(await exportState(there))).toBe(text)
          const back = await openDatabase({ file: `${emptyFolder()}/state.db`, databaseUrl: '' })
          await importState(back, await exportState(there), false)
          expect(formatStateExport(await exportState(back))).toBe(text)
          await Promise.all([there.close(), back.close()])
        }),
        { numRuns: 10 },
      )
    })
  })
}

/** Every name before a bracket in the sources that contain SQL; also new ones. */
function calledNames(): string[] {
  const folder = resolve(import.meta.dirname, '../../packages/server/src')
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .filter((text) => /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b/.test(text))
  const called = texts.flatMap((text) =>
    [...text.matchAll(/\b([a-z_]+)\(/gi)].map(([, name = '']) => name.toLowerCase()),
  )
  return [...new Set(called)].sort()
}

/** Creates functions with the names and parameters of PostgreSQL's own, and comparisons of texts and numbers, that fail. */
function plantFunctions(called: readonly string[]): string {
  const list = called.map((name) => `'${name}'`).join(', ')
  const comparisons = ['=', '<>', '<', '>', '||', '+'].flatMap((name) =>
    ['text', 'bigint', 'integer', 'name'].map(
      (type) => `CREATE OPERATOR scorpiox.${name} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = scorpiox.planted)`,
    ),
  )
  const fails = (what: string) => `LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION '${what} was called'; END $f$`
  return `
    ${['text', 'bigint', 'integer', 'name'].map((type) => `CREATE FUNCTION scorpiox.planted(${type}, ${type}) RETURNS bool ${fails('an operator')};`).join('\n')}
    ${comparisons.join(';\n')};
    DO $plant$ DECLARE each record; BEGIN
      FOR each IN SELECT proname, pg_get_function_identity_arguments(oid) AS given, prorettype::regtype AS result
        FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (${list})
      LOOP
        BEGIN
          EXECUTE format('CREATE FUNCTION scorpiox.%I(%s) RETURNS %s ${fails('%s').replaceAll("'", "''")}',
            each.proname, each.given, each.result, each.proname);
        -- Some have parameters that only internal functions may have.
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
      END LOOP;
    END $plant$`
}
