// The contract on PostgreSQL, and what only a server can do: stop, come back, refuse.

import { afterAll, test } from 'vitest'

import { describeContract } from './contract.js'
import { startPostgres } from './postgres-server.js'

const server = await startPostgres()
afterAll(() => server?.stop('immediate'))

if (!server) test.skip('PostgreSQL: none on this machine, and npm brings none')
else describeContract('PostgreSQL', async () => ({ file: '', databaseUrl: await server.database() }))
