// `scorpiox-code install [client…]`: writes the executable to its path and connects the clients found on this machine,
// by an entry in the configuration file of each. Plans the changes; apply-changes.ts has them confirmed and applies
// them. Called by cli/commands.ts. Reads and writes files.

import { Failure } from '@scorpiox/mcp/errors'
import type { JsonObject } from '@scorpiox/mcp/json/json'
import type { Config } from '@scorpiox/server/config/load-config'
import type { CommandArguments } from '../arguments.js'
import type { LaunchCommand } from '../program-info.js'
import { applyChanges, type InstallChange, INTERRUPTED_EXIT_CODE, printNoChanges } from './apply-changes.js'
import { type ClientConfigFile, writeClientConfig } from './client-config-file.js'
import { CLIENTS } from './clients.js'
import type { InsertionRecord } from './config-format.js'
import { membersForChoice } from './entry-choices.js'
import { backupNote, formatAddition, formatUpdate } from './format-change.js'
import { readInstallRecord, updateInstallRecord } from './install-record.js'
import {
  compareInstalled,
  executablePath,
  findInstallSource,
  installDirectory,
  type InstallSource,
  requireOwnHome,
  writeExecutable,
} from './installed-program.js'
import { readMachineInfo, readRunningProgram } from './machine-info.js'
import { buildEntry, ENTRY_NAME } from './own-entry.js'
import { askEntryChoices, type EntryDecisions, promptStreams } from './prompts.js'
import { describeTargetPath, detectTargets, findTargetsByName, type InspectedTarget, inspectTarget } from './targets.js'

export async function runInstallCommand(config: Config, { operands, flags }: CommandArguments): Promise<number> {
  const machine = readMachineInfo(config)
  const directory = installDirectory(config.home)
  requireOwnHome(config.home)
  const source = await findInstallSource(directory, readRunningProgram(config))
  const targets = operands.length > 0 ? findTargetsByName(operands, machine) : detectTargets(machine)
  const inspected = await Promise.all(targets.map((target) => inspectTarget(target, source.launch)))
  const isNamed = operands.length > 0
  const decisions = await askEntryChoices(inspected, flags, isNamed, promptStreams(config.childEnv))
  if (decisions === undefined) {
    await printNoChanges('.')
    return INTERRUPTED_EXIT_CODE
  }
  const changes = inspected.map((each) => clientChange(each, { launch: source.launch, directory, isNamed, decisions }))
  return applyChanges(
    {
      first: executableChange(directory, machine.platform, source),
      changes,
      ...(targets.length === 0 && { notice: formatNoClients() }),
      closing: changes.some((step) => step.apply) ? RESTART : '',
    },
    flags,
    config,
  )
}

const RESTART = '\nRestart the clients that are running: they read their configuration when they start.\n'

/** Values shared by all changes of one installation. */
interface Installation {
  readonly launch: LaunchCommand
  readonly directory: string
  readonly isNamed: boolean
  readonly decisions: EntryDecisions
}

function executableChange(directory: string, platform: NodeJS.Platform, source: InstallSource): InstallChange {
  const path = executablePath(directory, platform)
  const installed = compareInstalled(path, source, readInstallRecord(directory).executable)
  const hasFile = source.file !== undefined || source.text !== undefined
  const isCurrent = installed === 'current' && source.scriptToCopy === undefined
  const base: InstallChange = { title: 'The program', path, lines: [], note: undefined, isBlocked: false }
  if (isCurrent) return { ...base, note: 'already installed' }
  if (!hasFile && source.scriptToCopy === undefined) {
    return {
      ...base,
      path: '',
      note: `not available for this system; clients start ${source.launch.command} directly`,
    }
  }
  const apply = (): string => {
    const { hash, movedTo } = writeExecutable(directory, path, source, installed, new Date())
    updateInstallRecord(directory, (record) => ({ ...record, executable: hash }))
    const moved = movedTo === undefined ? '' : `; the previous file is now ${movedTo}`
    return `${hasFile ? `installed at ${path}` : 'program copied'}${moved}`
  }
  return { ...base, note: describeSource(source, installed === 'other-file'), apply }
}

function describeSource({ file, text, scriptToCopy }: InstallSource, isOtherFile: boolean): string {
  const what =
    file === undefined
      ? `${text === undefined ? 'a copy of' : 'a script that starts'} this program${scriptToCopy === undefined ? '' : ', which is copied next to it'}`
      : `a copy of ${file}`
  return `${what}${isOtherFile ? '; an existing file is kept under another name' : ''}`
}

function clientChange(inspected: InspectedTarget, installation: Installation): InstallChange {
  const { target, state } = inspected
  const { launch, isNamed } = installation
  const { client } = target
  const path = describeTargetPath(inspected)
  const base: InstallChange = { title: client.name, path, lines: [], note: undefined, isBlocked: false }
  const blocked = (why: string): InstallChange => ({
    ...base,
    note: `not changed: it ${why}. Correct that and run this again, or paste this into the file:`,
    snippet: inspected.format.snippet(client.container, buildEntry(client, launch)),
    isBlocked: true,
  })
  if (state.kind === 'other-program') {
    return { ...base, note: `not changed: its entry "${ENTRY_NAME}" starts another program`, isBlocked: isNamed }
  }
  if (state.kind === 'unusable') return blocked(state.why)
  try {
    return { ...base, note: undefined, ...entryChange(inspected, installation) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return blocked(error.message)
  }
}

function entryChange(inspected: InspectedTarget, installation: Installation): Partial<InstallChange> {
  const { state, file } = inspected
  if (file === undefined) return {}
  if (state.kind === 'absent') return entryAddition(inspected, file, installation)
  if (state.kind === 'connected') return entryUpdate(inspected, file, state.entry, {}, installation)
  return state.kind === 'outdated' ? entryUpdate(inspected, file, state.entry, state.members, installation) : {}
}

function entryAddition(
  { target, format }: InspectedTarget,
  file: ClientConfigFile,
  installation: Installation,
): Partial<InstallChange> {
  const { launch, directory, decisions } = installation
  const { client } = target
  const { choice } = client
  const isAccepted = decisions.get(client.id)
  const defaultEntry = buildEntry(client, launch)
  const entry =
    choice === undefined ? defaultEntry : { ...defaultEntry, ...membersForChoice(defaultEntry, choice, isAccepted) }
  const added = format.add(file.text ?? '', client.container, entry)
  const isNew = file.text === undefined
  const notes = [
    ...(isNew && client.newFileNote !== undefined ? [client.newFileNote] : []),
    ...(choice !== undefined && isAccepted !== true ? [choice.declinedNote] : []),
  ]
  return {
    lines: formatAddition(client, entry, added.insertion.made),
    notes,
    apply() {
      const backup = writeClientConfig(file, added.text, new Date())
      recordFile(directory, file.path, added.insertion, isNew)
      return describeConnected(backup)
    },
  }
}

function entryUpdate(
  { target, format }: InspectedTarget,
  file: ClientConfigFile,
  entry: unknown,
  outdated: JsonObject,
  { decisions }: Installation,
): Partial<InstallChange> {
  const { client } = target
  const chosen = client.choice ? membersForChoice(entry, client.choice, decisions.get(client.id)) : {}
  const members = { ...outdated, ...chosen }
  if (Object.keys(members).length === 0) return { note: 'already connected' }
  const changed = format.change(file.text ?? '', client.container, members)
  return {
    lines: formatUpdate(client, entry, members),
    apply: () => describeConnected(writeClientConfig(file, changed, new Date())),
  }
}

function recordFile(directory: string, path: string, trace: InsertionRecord, isNew: boolean): void {
  updateInstallRecord(directory, (record) => ({
    ...record,
    files: new Map([...record.files, [path, { ...trace, isNew }]]),
  }))
}

function describeConnected(backup: string | undefined): string {
  return `connected${backupNote(backup)}`
}

function formatNoClients(): string {
  const names = CLIENTS.map(({ id }) => id).join(', ')
  return (
    'No client was found: none of their configuration files or directories exists.\n' +
    'Install a client, start it once and run this again, or name one to connect it now: scorpiox-code install <client>\n' +
    `Clients: ${names}.\n`
  )
}
