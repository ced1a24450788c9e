// `scorpiox-code uninstall [client…]`: removes the entries of the clients, then the program. Other changes in these
// files, tasks, plans and settings are kept. Called by cli/commands.ts. Writes and removes files.

import { rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '@scorpiox/server/config/load-config'
import type { CommandArguments } from '../arguments.js'
import { applyChanges, type InstallChange } from './apply-changes.js'
import { removeClientConfig, writeClientConfig } from './client-config-file.js'
import { CLIENTS } from './clients.js'
import { backupNote, formatRemoval } from './format-change.js'
import { INSTALL_RECORD_FILE, readInstallRecord, updateInstallRecord } from './install-record.js'
import {
  compareInstalled,
  executablePath,
  hasProgramCopies,
  installDirectory,
  removeExecutable,
  requireOwnHome,
} from './installed-program.js'
import { readMachineInfo } from './machine-info.js'
import { parseOwnEntry } from './own-entry.js'
import { describeTargetPath, findTargetsByName, type InspectedTarget, inspectTarget } from './targets.js'

export async function runUninstallCommand(config: Config, { operands, flags }: CommandArguments): Promise<number> {
  const machine = readMachineInfo(config)
  const directory = installDirectory(config.home)
  requireOwnHome(config.home)
  const path = executablePath(directory, machine.platform)
  const names = operands.length > 0 ? operands : CLIENTS.map(({ id }) => id)
  // Entries of this program are removed whatever path they start, so the launch command is empty.
  const targets = findTargetsByName(names, machine).flatMap(({ client, file, alternatives, inside }) =>
    [file, ...alternatives].map((each) => ({ client, file: each, alternatives: [], inside })),
  )
  const inspected = await Promise.all(targets.map((target) => inspectTarget(target, { command: '', args: [] })))
  const changes = inspected.flatMap((each) => clientRemoval(each, directory, operands.length > 0))
  const isStillNeeded = changes.some(({ isBlocked }) => isBlocked)
  const last = operands.length === 0 ? executableRemoval(directory, path, isStillNeeded) : undefined
  const closing = '\nRestart clients that are running; until then they keep their connection.\n'
  return applyChanges({ changes, ...(last && { last }), closing }, flags, config)
}

function clientRemoval(inspected: InspectedTarget, directory: string, isNamed: boolean): readonly InstallChange[] {
  const { target, state, file, format } = inspected
  const { client } = target
  const path = describeTargetPath(inspected)
  const base: InstallChange = { title: client.name, path, lines: [], note: undefined, isBlocked: false }
  if (state.kind === 'unusable') {
    // An unreadable file matters only if it was named or contains our entry.
    return isNamed || readInstallRecord(directory).files.has(target.file)
      ? [{ ...base, note: `not changed: it ${state.why}`, isBlocked: true }]
      : []
  }
  if (file === undefined || state.kind !== 'outdated' || !parseOwnEntry(state.entry)) {
    return isNamed ? [{ ...base, note: 'not connected' }] : []
  }
  const record = readInstallRecord(directory).files.get(file.path)
  try {
    const remaining = format.remove(file.text ?? '', client.container, record)
    const apply = (): string => {
      const isFileEmpty = record?.isNew === true && remaining.trim() === ''
      if (isFileEmpty) removeClientConfig(file)
      const backup = isFileEmpty ? undefined : writeClientConfig(file, remaining, new Date())
      deleteFileRecord(directory, file.path)
      return `disconnected${backupNote(backup)}`
    }
    return [{ ...base, note: undefined, lines: formatRemoval(client, state.entry), apply }]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ ...base, note: `not changed: it ${error.message}; remove the entry manually`, isBlocked: true }]
  }
}

/** `isHeld`: a client whose file could not be changed may still start the program. */
function executableRemoval(directory: string, path: string, isStillNeeded: boolean): InstallChange {
  const base: InstallChange = { title: 'The program', path, lines: [], note: undefined, isBlocked: false }
  const installed = compareInstalled(path, {}, readInstallRecord(directory).executable)
  if (installed === 'other-file') return { ...base, note: 'not removed: it was not created by `scorpiox-code install`' }
  if (installed === 'absent' && !hasProgramCopies(directory)) return { ...base, note: 'not installed' }
  if (isStillNeeded) return { ...base, note: 'not removed, because a client that was not changed may start it' }
  const apply = (): string => {
    const remaining = removeExecutable(directory, path)
    rmSync(join(directory, INSTALL_RECORD_FILE), { force: true })
    removeIfEmpty(directory)
    return remaining.length === 0
      ? 'removed'
      : `cannot be removed while it runs; delete it later: ${remaining.join(', ')}`
  }
  return { ...base, lines: [{ mark: '-', text: path }], note: undefined, apply }
}

function deleteFileRecord(directory: string, path: string): void {
  if (!readInstallRecord(directory).files.has(path)) return
  updateInstallRecord(directory, (record) => ({
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
