// `scorpiox-code uninstall [client…]`: takes our entry out of the clients, and then what was installed. What the person
// has since changed around it stays, and so do tasks, plans and settings.

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
  const folder = folderOf(config.home)
  mustBeOwn(config.home)
  const place = placeOf(folder, machine.platform)
  const names = operands.length > 0 ? operands : CLIENTS.map(({ id }) => id)
  // What it would start matters not: an entry of ours is ours.
  const targets = namedTargets(names, machine).flatMap(({ client, file, alternatives }) =>
    [file, ...alternatives].map((path) => ({ client, file: path, alternatives: [] })),
  )
  const looks = await Promise.all(targets.map((target) => lookAt(target, { command: '', args: [] })))
  const steps = looks.flatMap((look) => disconnecting(look, folder, operands.length > 0))
  const isHeld = steps.some(({ isStuck }) => isStuck)
  const last = operands.length === 0 ? removing(folder, place, isHeld) : undefined
  const closing = '\nClients that are running keep what they have until they are restarted.\n'
  return carryOut({ steps, ...(last && { last }), closing }, flags, config)
}

function disconnecting(look: Look, folder: string, isNamed: boolean): readonly Step[] {
  const { target, state, file, format } = look
  const { client } = target
  const base = { title: client.name, place: target.file, lines: [], isStuck: false }
  if (state.kind === 'stuck') {
    // What was never there need not go.
    return isNamed || readRecord(folder).files.has(target.file)
      ? [{ ...base, note: `left alone: it ${state.why}`, isStuck: true }]
      : []
  }
  if (file === undefined || state.kind !== 'outdated' || !readEntry(state.entry)) {
    return isNamed ? [{ ...base, note: 'not connected' }] : []
  }
  const trace = readRecord(folder).files.get(file.path)
  try {
    const left = format.remove(file.text ?? '', client.container, trace)
    const perform = (): string => {
      const isNothing = trace?.isNew === true && left.trim() === ''
      if (isNothing) removePersonsFile(file)
      const backup = isNothing ? undefined : writePersonsFile(file, left, new Date())
      forget(folder, file.path)
      return `no longer connected${keptIn(backup)}`
    }
    return [{ ...base, note: undefined, lines: shownRemoval(client, state.entry), perform }]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ ...base, note: `left alone: it ${error.message}; take the entry out yourself`, isStuck: true }]
  }
}

/** Whether a client that could not be changed may still start it, `isHeld` says. */
function removing(folder: string, place: string, isHeld: boolean): Step {
  const base = { title: 'The executable', place, lines: [], isStuck: false }
  const presence = presenceOf(place, {}, readRecord(folder).executable)
  if (presence === 'foreign') return { ...base, note: 'left alone: `scorpiox-code install` did not put it there' }
  if (presence === 'absent' && !hasPrograms(folder)) return { ...base, note: 'not installed' }
  if (isHeld) return { ...base, note: 'kept, because a client that was left alone may start it' }
  const perform = (): string => {
    const left = removeExecutable(folder, place)
    rmSync(join(folder, RECORD), { force: true })
    removeIfEmpty(folder)
    return left.length === 0 ? 'is gone' : `cannot be removed while it runs; delete it later: ${left.join(', ')}`
  }
  return { ...base, lines: [{ mark: '-', text: place }], note: undefined, perform }
}

function forget(folder: string, path: string): void {
  if (!readRecord(folder).files.has(path)) return
  updateRecord(folder, (record) => ({
    ...record,
    files: new Map([...record.files].filter(([file]) => file !== path)),
  }))
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Tasks, plans and settings are kept there.
  }
}
