// `scorpiox-code install [client…]`: puts the executable at its place and connects the clients that are used here.

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
  const folder = folderOf(config.home)
  mustBeOwn(config.home)
  const source = await findSource(folder, runningProgram(config))
  const targets = operands.length > 0 ? namedTargets(operands, machine) : foundTargets(machine)
  const looks = await Promise.all(targets.map((target) => lookAt(target, source.launch)))
  const isNamed = operands.length > 0
  const decisions = await askChoices(looks, flags, isNamed, promptStreams(config.childEnv))
  if (decisions === undefined) {
    await printNothingChanged('.')
    return INTERRUPTED
  }
  const steps = looks.map((look) => connecting(look, { launch: source.launch, folder, isNamed, decisions }))
  return carryOut(
    {
      first: placing(folder, machine.platform, source),
      steps,
      ...(targets.length === 0 && { notice: noClientFound() }),
      closing: steps.some((step) => step.perform) ? RESTART : '',
    },
    flags,
    config,
  )
}

const RESTART = '\nRestart the clients that are running: they read their configuration when they start.\n'

/** What is common to all steps of one installation. */
interface Installation {
  readonly launch: Launch
  readonly folder: string
  readonly isNamed: boolean
  readonly decisions: Decisions
}

function placing(folder: string, platform: NodeJS.Platform, source: Source): Step {
  const place = placeOf(folder, platform)
  const presence = presenceOf(place, source, readRecord(folder).executable)
  const isMade = source.file !== undefined || source.text !== undefined
  const isCurrent = presence === 'current' && source.carried === undefined
  const base = { title: 'The executable', place, lines: [], isStuck: false }
  if (isCurrent) return { ...base, note: 'already in its place' }
  if (!isMade && source.carried === undefined) {
    return {
      ...base,
      place: '',
      note: `none is built for this system; clients start ${source.launch.command} themselves`,
    }
  }
  const perform = (): string => {
    const { hash, kept } = putExecutable(folder, place, source, presence, new Date())
    updateRecord(folder, (record) => ({ ...record, executable: hash }))
    const moved = kept === undefined ? '' : `; what was there is now ${kept}`
    return `${isMade ? `is at ${place}` : 'the program is copied'}${moved}`
  }
  return { ...base, note: whatIsPut(source, presence === 'foreign'), perform }
}

function whatIsPut({ file, text, carried }: Source, isForeign: boolean): string {
  const what =
    file === undefined
      ? `${text === undefined ? 'a copy of' : 'a script that starts'} this program${carried === undefined ? '' : ', which is copied beside it'}`
      : `a copy of ${file}`
  return `${what}${isForeign ? '; something else is there, which is kept under another name' : ''}`
}

function connecting(look: Look, installation: Installation): Step {
  const { target, state } = look
  const { launch, isNamed } = installation
  const { client } = target
  const base = { title: client.name, place: target.file, lines: [], isStuck: false }
  const stuck = (why: string): Step => ({
    ...base,
    note: `left alone: it ${why}. Put that right and run this again, or paste this into it yourself:`,
    snippet: look.format.snippet(client.container, entryFor(client, launch)),
    isStuck: true,
  })
  if (state.kind === 'foreign') {
    return { ...base, note: `left alone: its entry "${NAME}" starts another program`, isStuck: isNamed }
  }
  if (state.kind === 'stuck') return stuck(state.why)
  try {
    return { ...base, note: undefined, ...changeOf(look, installation) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return stuck(error.message)
  }
}

function changeOf(look: Look, installation: Installation): Partial<Step> {
  const { state, file } = look
  if (file === undefined) return {}
  if (state.kind === 'free') return addition(look, file, installation)
  if (state.kind === 'connected') return update(look, file, state.entry, {}, installation)
  return state.kind === 'outdated' ? update(look, file, state.entry, state.members, installation) : {}
}

function addition({ target, format }: Look, file: PersonsFile, installation: Installation): Partial<Step> {
  const { launch, folder, decisions } = installation
  const { client } = target
  const { choice } = client
  const isAccepted = decisions.get(client.id)
  const plain = entryFor(client, launch)
  const entry = choice === undefined ? plain : { ...plain, ...membersForChoice(plain, choice, isAccepted) }
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
      remember(folder, file.path, added.trace, isNew)
      return connected(backup)
    },
  }
}

function update(
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
    perform: () => connected(writePersonsFile(file, changed, new Date())),
  }
}

function remember(folder: string, path: string, trace: Trace, isNew: boolean): void {
  updateRecord(folder, (record) => ({ ...record, files: new Map([...record.files, [path, { ...trace, isNew }]]) }))
}

function connected(backup: string | undefined): string {
  return `connected${keptIn(backup)}`
}

function noClientFound(): string {
  const names = CLIENTS.map(({ id }) => id).join(', ')
  return (
    'No client was found on this machine: none of their configuration files or folders exists.\n' +
    'Install a client, start it once and run this again, or name one to connect it now: scorpiox-code install <client>\n' +
    `The clients are ${names}.\n`
  )
}
