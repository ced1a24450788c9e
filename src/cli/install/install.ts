// `scorpiox-code install [client…]`: writes the executable to its path and connects the clients found on this machine.

import type { Config } from '../../config/load.js'
import { Failure } from '../../lib/failure.js'
import type { JsonObject } from '../../lib/json.js'
import { writePersonsFile, type PersonsFile } from '../../store/persons-file.js'
import type { Arguments } from '../args.js'
import type { Launch } from '../connect.js'
import { askChoices, type Decisions } from './ask-choices.js'
import { carryOut, INTERRUPTED, printNothingChanged, type Step } from './carry-out.js'
import { membersForChoice } from './choice.js'
import { CLIENTS } from './clients.js'
import { entryFor, NAME } from './entry.js'
import { findSource, folderOf, mustBeOwn, placeOf, presenceOf, putExecutable, type Source } from './executable.js'
import type { Trace } from './format.js'
import { readRecord, updateRecord } from './record.js'
import { promptStreams } from './prompts.js'
import { keptIn, shownAddition, shownUpdate } from './shown-change.js'
import { foundTargets, lookAt, namedTargets, type Look } from './targets.js'
import { machineOf, runningProgram } from './this-machine.js'

export async function installFromTerminal(config: Config, { operands, flags }: Arguments): Promise<number> {
  const machine = machineOf(config)
  const directory = folderOf(config.home)
  mustBeOwn(config.home)
  const source = await findSource(directory, runningProgram(config))
  const targets = operands.length > 0 ? namedTargets(operands, machine) : foundTargets(machine)
  const inspected = await Promise.all(targets.map((target) => lookAt(target, source.launch)))
  const isNamed = operands.length > 0
  const decisions = await askChoices(inspected, flags, isNamed, promptStreams(config.childEnv))
  if (decisions === undefined) {
    await printNothingChanged('.')
    return INTERRUPTED
  }
  const steps = inspected.map((each) => clientChange(each, { launch: source.launch, directory, isNamed, decisions }))
  return carryOut(
    {
      first: executableChange(directory, machine.platform, source),
      steps,
      ...(targets.length === 0 && { notice: formatNoClients() }),
      closing: steps.some((step) => step.perform) ? RESTART : '',
    },
    flags,
    config,
  )
}

const RESTART = '\nRestart the clients that are running: they read their configuration when they start.\n'

/** Values shared by all changes of one installation. */
interface Installation {
  readonly launch: Launch
  readonly directory: string
  readonly isNamed: boolean
  readonly decisions: Decisions
}

function executableChange(directory: string, platform: NodeJS.Platform, source: Source): Step {
  const path = placeOf(directory, platform)
  const installed = presenceOf(path, source, readRecord(directory).executable)
  const hasFile = source.file !== undefined || source.text !== undefined
  const isCurrent = installed === 'current' && source.carried === undefined
  const base: Step = { title: 'The executable', place: path, lines: [], note: undefined, isStuck: false }
  if (isCurrent) return { ...base, note: 'already installed' }
  if (!hasFile && source.carried === undefined) {
    return {
      ...base,
      place: '',
      note: `not available for this system; clients start ${source.launch.command} directly`,
    }
  }
  const apply = (): string => {
    const { hash, kept: movedTo } = putExecutable(directory, path, source, installed, new Date())
    updateRecord(directory, (record) => ({ ...record, executable: hash }))
    const moved = movedTo === undefined ? '' : `; the previous file is now ${movedTo}`
    return `${hasFile ? `installed at ${path}` : 'program copied'}${moved}`
  }
  return { ...base, note: describeSource(source, installed === 'other-file'), perform: apply }
}

function describeSource({ file, text, carried }: Source, isOtherFile: boolean): string {
  const what =
    file === undefined
      ? `${text === undefined ? 'a copy of' : 'a script that starts'} this program${carried === undefined ? '' : ', which is copied next to it'}`
      : `a copy of ${file}`
  return `${what}${isOtherFile ? '; an existing file is kept under another name' : ''}`
}

function clientChange(inspected: Look, installation: Installation): Step {
  const { target, state } = inspected
  const { launch, isNamed } = installation
  const { client } = target
  const base: Step = { title: client.name, place: target.file, lines: [], note: undefined, isStuck: false }
  const blocked = (why: string): Step => ({
    ...base,
    note: `not changed: it ${why}. Correct that and run this again, or paste this into the file:`,
    snippet: inspected.format.snippet(client.container, entryFor(client, launch)),
    isStuck: true,
  })
  if (state.kind === 'other-program') {
    return { ...base, note: `not changed: its entry "${NAME}" starts another program`, isStuck: isNamed }
  }
  if (state.kind === 'unusable') return blocked(state.why)
  try {
    return { ...base, note: undefined, ...entryChange(inspected, installation) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return blocked(error.message)
  }
}

function entryChange(inspected: Look, installation: Installation): Partial<Step> {
  const { state, file } = inspected
  if (file === undefined) return {}
  if (state.kind === 'absent') return entryAddition(inspected, file, installation)
  if (state.kind === 'connected') return entryUpdate(inspected, file, state.entry, {}, installation)
  return state.kind === 'outdated' ? entryUpdate(inspected, file, state.entry, state.members, installation) : {}
}

function entryAddition({ target, format }: Look, file: PersonsFile, installation: Installation): Partial<Step> {
  const { launch, directory, decisions } = installation
  const { client } = target
  const { choice } = client
  const isAccepted = decisions.get(client.id)
  const defaultEntry = entryFor(client, launch)
  const entry =
    choice === undefined ? defaultEntry : { ...defaultEntry, ...membersForChoice(defaultEntry, choice, isAccepted) }
  const added = format.add(file.text ?? '', client.container, entry)
  const isNew = file.text === undefined
  const notes = [
    ...(isNew && client.newFileNote !== undefined ? [client.newFileNote] : []),
    ...(choice !== undefined && isAccepted !== true ? [choice.declinedNote] : []),
  ]
  return {
    lines: shownAddition(client, entry, added.trace.made),
    notes,
    perform() {
      const backup = writePersonsFile(file, added.text, new Date())
      recordFile(directory, file.path, added.trace, isNew)
      return describeConnected(backup)
    },
  }
}

function entryUpdate(
  { target, format }: Look,
  file: PersonsFile,
  entry: unknown,
  outdated: JsonObject,
  { decisions }: Installation,
): Partial<Step> {
  const { client } = target
  const chosen = client.choice ? membersForChoice(entry, client.choice, decisions.get(client.id)) : {}
  const members = { ...outdated, ...chosen }
  if (Object.keys(members).length === 0) return { note: 'already connected' }
  const changed = format.change(file.text ?? '', client.container, members)
  return {
    lines: shownUpdate(client, entry, members),
    perform: () => describeConnected(writePersonsFile(file, changed, new Date())),
  }
}

function recordFile(directory: string, path: string, trace: Trace, isNew: boolean): void {
  updateRecord(directory, (record) => ({ ...record, files: new Map([...record.files, [path, { ...trace, isNew }]]) }))
}

function describeConnected(backup: string | undefined): string {
  return `connected${keptIn(backup)}`
}

function formatNoClients(): string {
  const names = CLIENTS.map(({ id }) => id).join(', ')
  return (
    'No client was found: none of their configuration files or directories exists.\n' +
    'Install a client, start it once and run this again, or name one to connect it now: scorpiox-code install <client>\n' +
    `Clients: ${names}.\n`
  )
}
