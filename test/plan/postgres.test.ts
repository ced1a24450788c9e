// Plan mode with PostgreSQL: local flag files are not trusted, the database is queried each time.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { postgresRequirement, type PostgresServer, startPostgres } from '../store/postgres-server.js'
import { startServer, type TestClient } from '../support/client.js'
import { requires, SANDBOX } from '../support/requirements.js'
import { bash, enter, plan } from './support.js'

let postgres: PostgresServer | undefined

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres?.stop('immediate'))

const writes = async (client: TestClient): Promise<boolean> => !(await bash(client, 'echo x >written')).isError

describe('with a database', requires(SANDBOX), () => {
  test('a plan opened with another state folder, as on another machine, applies here', async (context) => {
    context.skip(!postgres, postgresRequirement(postgres).reason)
    if (!postgres) return
    const url = await postgres.database()
    const home = mkdtempSync('/var/tmp/scorpiox-plan-')
    context.onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const project = join(home, 'project')
    mkdirSync(project)
    const serve = (state: string): TestClient =>
      startServer({ cwd: project, env: { HOME: home, STATE_DIR: join(home, state), DATABASE_URL: url } })
    const [one, two] = [serve('one'), serve('two')]
    for (const client of [one, two]) expect(await writes(client)).toBe(true)
    const folder = await enter(one, project)
    expect(await Promise.all([one, two].map(writes))).toEqual([false, false])
    expect((await bash(two, `echo '- [ ] do it' >${folder}/plan.md`)).isError).toBe(false)
    postgres.stop('immediate')
    const refused = await bash(two, 'echo x >written')
    expect(refused.text).toMatch(/^The command was not started: the server cannot determine whether plan mode is on/)
    postgres.start()
    await expect.poll(async () => (await plan(two, 'status')).text, { timeout: 20_000 }).toContain('ACTIVE')
    expect((await plan(two, 'exit')).text).toContain('Task 1 "see" was created from its checklist item')
    expect(await Promise.all([one, two].map(writes))).toEqual([true, true])
    await Promise.all([one.close(), two.close()])
  })
})
