// `scorpiox-code state path|export|import`: where tasks and plans are stored, and their transfer as one JSON document.
// Called by commands.ts, which prints the returned text. Opens the database (not for `path`); export may write a file;
// import reads one and, with SQLite, sets the flag files of open plans.

import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { replaceFileAsync } from '@scorpiox/mcp/atomic-file'
import type { Database } from '@scorpiox/server/storage/database'
import { redactDatabaseUrl } from '@scorpiox/server/storage/database-url'
import { openFlagFiles } from '@scorpiox/server/storage/flag-files'
import { type DatabaseLocation, openDatabase } from '@scorpiox/server/storage/open-database'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import type { CommandArguments } from '../../arguments.js'
import { formatStateExport, parseStateExport, type StateExport } from './state-document.js'
import { exportState, importState } from './transfer.js'

const USAGE = 'state needs one of: path, export [file], import <file> [--replace]'

type StateCommandInput = Pick<CommandArguments, 'operands' | 'flags'>

/** Returns the text to print. */
export async function runStateCommand(
  location: DatabaseLocation,
  { operands, flags }: StateCommandInput,
): Promise<string> {
  const [verb, file, ...extra] = operands
  if (extra.length > 0 || (flags.replace && verb !== 'import')) throw new UsageError(USAGE)
  if (verb === 'path' && file === undefined) return `${formatLocation(location)}\n`
  if (verb === 'export') return withDatabase(location, (database) => exportTo(database, location, file))
  if (verb === 'import' && file !== undefined) {
    return withDatabase(location, (database) => importFrom(database, location, file, flags.replace ?? false))
  }
  throw new UsageError(USAGE)
}

function formatLocation({ file, databaseUrl }: DatabaseLocation): string {
  return databaseUrl === '' ? file : (redactDatabaseUrl(databaseUrl) ?? 'DATABASE_URL is not a PostgreSQL address')
}

async function withDatabase(
  location: DatabaseLocation,
  work: (database: Database) => Promise<string>,
): Promise<string> {
  const database = await openDatabase(location)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

async function exportTo(database: Database, location: DatabaseLocation, file: string | undefined): Promise<string> {
  if (file === undefined) return formatStateExport(await exportState(database))
  const path = resolve(file)
  rejectDatabasePath(location, path)
  const document = await exportState(database)
  try {
    await replaceFileAsync(path, formatStateExport(document))
  } catch (error) {
    throw new Failure(`${path} cannot be written (${errorMessage(error)}); choose another file`, { cause: error })
  }
  return `Exported ${describeContents(document)} to ${path}.\n`
}

function rejectDatabasePath(location: DatabaseLocation, path: string): void {
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

async function importFrom(
  database: Database,
  location: DatabaseLocation,
  file: string,
  replace: boolean,
): Promise<string> {
  const path = resolve(file)
  const document = readDocument(path)
  // Twice: before the import, so that no open plan lacks its flag file; after it, because a server may have removed a flag
  // whose plan was not stored yet.
  setPlanFlags(location, document)
  await importState(database, document, replace)
  setPlanFlags(location, document)
  return `Imported ${describeContents(document)} into ${database.name}.\n`
}

function setPlanFlags({ file, databaseUrl }: DatabaseLocation, { scopes }: StateExport): void {
  if (databaseUrl !== '') return
  const open = scopes.filter(({ plans }) => plans.some(({ outcome }) => outcome === 'open'))
  for (const { project, user } of open) openFlagFiles(dirname(file), 'plans', project).set(user)
}

function readDocument(path: string): StateExport {
  try {
    return parseStateExport(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Failure(`${path} cannot be imported: ${errorMessage(error)}`, { cause: error })
  }
}

function describeContents({ scopes }: StateExport): string {
  const sum = (kind: 'tasks' | 'plans'): number => scopes.reduce((total, scope) => total + scope[kind].length, 0)
  return `${formatCount(sum('tasks'), 'task')} and ${formatCount(sum('plans'), 'plan')} of ${formatCount(scopes.length, 'project')}`
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
