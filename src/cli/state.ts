// Says where tasks and plans are kept, and takes them out and in as one JSON document.

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

type Given = Pick<Arguments, 'operands' | 'flags'>

/** Gives the text to print. */
export async function stateReport(place: StatePlace, { operands, flags }: Given): Promise<string> {
  const [verb, file, ...tooMany] = operands
  if (tooMany.length > 0 || (flags.replace && verb !== 'import')) throw new UsageError(USAGE)
  if (verb === 'path' && file === undefined) return `${pathOf(place)}\n`
  if (verb === 'export') return within(place, (database) => takeOut(database, place, file))
  if (verb === 'import' && file !== undefined) {
    return within(place, (database) => takeIn(database, place, file, flags.replace ?? false))
  }
  throw new UsageError(USAGE)
}

function pathOf({ file, databaseUrl }: StatePlace): string {
  return databaseUrl === '' ? file : (shownAddress(databaseUrl) ?? 'DATABASE_URL is no address of PostgreSQL')
}

async function within(place: StatePlace, work: (database: Database) => Promise<string>): Promise<string> {
  const database = await openDatabase(place)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function takeOut(database: Database, place: StatePlace, file: string | undefined): Promise<string> {
  if (file === undefined) return printStateDocument(await exportState(database))
  const path = resolve(file)
  refuseOverwriting(place, path)
  const document = await exportState(database)
  try {
    await replaceFileLater(path, printStateDocument(document))
  } catch (error) {
    throw new Failure(`${path} cannot be written (${reasonOf(error)}); name another file`, { cause: error })
  }
  return `Exported ${contentsOf(document)} to ${path}.\n`
}

function refuseOverwriting(place: StatePlace, path: string): void {
  const kept = ['', '-wal', '-shm'].map((end) => realPath(place.file + end))
  if (kept.includes(realPath(path))) {
    throw new Failure(`${path} is what tasks and plans are kept in; name another file to export them to`)
  }
}

function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

async function takeIn(database: Database, place: StatePlace, file: string, replace: boolean): Promise<string> {
  const path = resolve(file)
  const document = documentIn(path)
  // Before, so that no open plan is without a mark; and after, because a server may just have found it to be for nothing.
  markOpenPlans(place, document)
  await importState(database, document, replace)
  markOpenPlans(place, document)
  return `Imported ${contentsOf(document)} into ${database.name}.\n`
}

function markOpenPlans({ file, databaseUrl }: StatePlace, { scopes }: StateDocument): void {
  if (databaseUrl !== '') return
  const open = scopes.filter(({ plans }) => plans.some(({ outcome }) => outcome === 'open'))
  for (const { project, user } of open) marksOf(dirname(file), 'plans', project).put(user)
}

function documentIn(path: string): StateDocument {
  try {
    return readStateDocument(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Failure(`${path} cannot be imported: ${reasonOf(error)}`, { cause: error })
  }
}

function contentsOf({ scopes }: StateDocument): string {
  const sum = (of: 'tasks' | 'plans'): number => scopes.reduce((total, scope) => total + scope[of].length, 0)
  return `${counted(sum('tasks'), 'task')} and ${counted(sum('plans'), 'plan')} of ${counted(scopes.length, 'project')}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
