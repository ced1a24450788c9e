// `scorpiox-code state`: prints where tasks and plans are stored; exports and imports them as one JSON document.

import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import type { StatePlace } from '../config/state-place.js'
import { shownAddress } from '../lib/database-address.js'
import { Failure } from '../lib/failure.js'
import { reasonOf } from '../lib/reason-of.js'
import { marksOf } from '../services/marks.js'
import { replaceFileLater } from '../store/atomic-file.js'
import { exportState } from '../store/state/export-state.js'
import { importState } from '../store/state/import-state.js'
import { openDatabase } from '../store/state/open-database.js'
import type { Database } from '../store/state/sql.js'
import { printStateDocument, readStateDocument, type StateDocument } from '../store/state/state-document.js'
import type { Arguments } from './args.js'
import { UsageError } from './usage-error.js'

const USAGE = 'state needs one of: path, export [file], import <file> [--replace]'

type StateCommandInput = Pick<Arguments, 'operands' | 'flags'>

/** Returns the text to print. */
export async function stateReport(location: StatePlace, { operands, flags }: StateCommandInput): Promise<string> {
  const [verb, file, ...extra] = operands
  if (extra.length > 0 || (flags.replace && verb !== 'import')) throw new UsageError(USAGE)
  if (verb === 'path' && file === undefined) return `${formatLocation(location)}\n`
  if (verb === 'export') return withDatabase(location, (database) => exportTo(database, location, file))
  if (verb === 'import' && file !== undefined) {
    return withDatabase(location, (database) => importFrom(database, location, file, flags.replace ?? false))
  }
  throw new UsageError(USAGE)
}

function formatLocation({ file, databaseUrl }: StatePlace): string {
  return databaseUrl === '' ? file : (shownAddress(databaseUrl) ?? 'DATABASE_URL is not a PostgreSQL address')
}

async function withDatabase(location: StatePlace, work: (database: Database) => Promise<string>): Promise<string> {
  const database = await openDatabase(location)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function exportTo(database: Database, location: StatePlace, file: string | undefined): Promise<string> {
  if (file === undefined) return printStateDocument(await exportState(database))
  const path = resolve(file)
  rejectDatabasePath(location, path)
  const document = await exportState(database)
  try {
    await replaceFileLater(path, printStateDocument(document))
  } catch (error) {
    throw new Failure(`${path} cannot be written (${reasonOf(error)}); choose another file`, { cause: error })
  }
  return `Exported ${describeContents(document)} to ${path}.\n`
}

function rejectDatabasePath(location: StatePlace, path: string): void {
  const databaseFiles = ['', '-wal', '-shm'].map((end) => realPath(location.file + end))
  if (databaseFiles.includes(realPath(path))) {
    throw new Failure(`${path} is the database of tasks and plans; choose another file for the export`)
  }
}

function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

async function importFrom(database: Database, location: StatePlace, file: string, replace: boolean): Promise<string> {
  const path = resolve(file)
  const document = readDocument(path)
  // Twice: before the import, so that no open plan lacks its flag file; after it, because a server may have removed a flag
  // whose plan was not stored yet.
  setPlanFlags(location, document)
  await importState(database, document, replace)
  setPlanFlags(location, document)
  return `Imported ${describeContents(document)} into ${database.name}.\n`
}

function setPlanFlags({ file, databaseUrl }: StatePlace, { scopes }: StateDocument): void {
  if (databaseUrl !== '') return
  const open = scopes.filter(({ plans }) => plans.some(({ outcome }) => outcome === 'open'))
  for (const { project, user } of open) marksOf(dirname(file), 'plans', project).put(user)
}

function readDocument(path: string): StateDocument {
  try {
    return readStateDocument(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Failure(`${path} cannot be imported: ${reasonOf(error)}`, { cause: error })
  }
}

function describeContents({ scopes }: StateDocument): string {
  const sum = (kind: 'tasks' | 'plans'): number => scopes.reduce((total, scope) => total + scope[kind].length, 0)
  return `${formatCount(sum('tasks'), 'task')} and ${formatCount(sum('plans'), 'plan')} of ${formatCount(scopes.length, 'project')}`
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
