// `scorpiox-code uninstall [client…]`: removes the entries of the clients, then the program. Other changes in these files,
// tasks, plans and settings are kept.

import { rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import { removePersonsFile, writePersonsFile } from '../../store/persons-file.js'
import type { Arguments } from '../args.js'
import { carryOut, type Step } from './carry-out.js'
import { CLIENTS } from './clients.js'
import { readEntry } from './entry.js'
import { folderOf, hasPrograms, mustBeOwn, placeOf, presenceOf, removeExecutable } from './executable.js'
import { readRecord, RECORD, updateRecord } from './record.js'
import { keptIn, shownRemoval } from './shown-change.js'
import { lookAt, namedTargets, type Look } from './targets.js'
import { machineOf } from './this-machine.js'

export async function uninstallFromTerminal(config: Config, { operands, flags }: Arguments): Promise<number> {
  const machine = machineOf(config)
  const directory = folderOf(config.home)
  mustBeOwn(config.home)
  const path = placeOf(directory, machine.platform)
  const names = operands.length > 0 ? operands : CLIENTS.map(({ id }) => id)
  // Entries of this program are removed whatever path they start, so the launch command is empty.
  const targets = namedTargets(names, machine).flatMap(({ client, file, alternatives }) =>
    [file, ...alternatives].map((each) => ({ client, file: each, alternatives: [] })),
  )
  const inspected = await Promise.all(targets.map((target) => lookAt(target, { command: '', args: [] })))
  const steps = inspected.flatMap((each) => clientRemoval(each, directory, operands.length > 0))
  const isStillNeeded = steps.some(({ isStuck }) => isStuck)
  const last = operands.length === 0 ? executableRemoval(directory, path, isStillNeeded) : undefined
  const closing = '\nRestart clients that are running; until then they keep their connection.\n'
  return carryOut({ steps, ...(last && { last }), closing }, flags, config)
}

function clientRemoval(inspected: Look, directory: string, isNamed: boolean): readonly Step[] {
  const { target, state, file, format } = inspected
  const { client } = target
  const base: Step = { title: client.name, place: target.file, lines: [], note: undefined, isStuck: false }
  if (state.kind === 'unusable') {
    // An unreadable file matters only if it was named or contains our entry.
    return isNamed || readRecord(directory).files.has(target.file)
      ? [{ ...base, note: `not changed: it ${state.why}`, isStuck: true }]
      : []
  }
  if (file === undefined || state.kind !== 'outdated' || !readEntry(state.entry)) {
    return isNamed ? [{ ...base, note: 'not connected' }] : []
  }
  const record = readRecord(directory).files.get(file.path)
  try {
    const remaining = format.remove(file.text ?? '', client.container, record)
    const apply = (): string => {
      const isFileEmpty = record?.isNew === true && remaining.trim() === ''
      if (isFileEmpty) removePersonsFile(file)
      const backup = isFileEmpty ? undefined : writePersonsFile(file, remaining, new Date())
      deleteFileRecord(directory, file.path)
      return `disconnected${keptIn(backup)}`
    }
    return [{ ...base, note: undefined, lines: shownRemoval(client, state.entry), perform: apply }]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ ...base, note: `not changed: it ${error.message}; remove the entry manually`, isStuck: true }]
  }
}

/** `isHeld`: a client whose file could not be changed may still start the program. */
function executableRemoval(directory: string, path: string, isStillNeeded: boolean): Step {
  const base: Step = { title: 'The executable', place: path, lines: [], note: undefined, isStuck: false }
  const installed = presenceOf(path, {}, readRecord(directory).executable)
  if (installed === 'other-file') return { ...base, note: 'not removed: it was not created by `scorpiox-code install`' }
  if (installed === 'absent' && !hasPrograms(directory)) return { ...base, note: 'not installed' }
  if (isStillNeeded) return { ...base, note: 'not removed, because a client that was not changed may start it' }
  const apply = (): string => {
    const remaining = removeExecutable(directory, path)
    rmSync(join(directory, RECORD), { force: true })
    removeIfEmpty(directory)
    return remaining.length === 0
      ? 'removed'
      : `cannot be removed while it runs; delete it later: ${remaining.join(', ')}`
  }
  return { ...base, lines: [{ mark: '-', text: path }], note: undefined, perform: apply }
}

function deleteFileRecord(directory: string, path: string): void {
  if (!readRecord(directory).files.has(path)) return
  updateRecord(directory, (record) => ({
    ...record,
    files: new Map([...record.files].filter(([file]) => file !== path)),
  }))
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // Not empty: it contains tasks, plans or settings.
  }
}
