// The contract on SQLite, and what only a file can do: vanish, fill up, be damaged.

import { join } from 'node:path'

import { emptyFolder } from '../support.js'
import { describeContract } from './contract.js'

describeContract('SQLite', async () => ({ file: join(emptyFolder(), 'state.db'), databaseUrl: '' }))
