// `scorpiox-code machines`: lists the machines of a PostgreSQL database with the workspaces that they own, and marks
// one to be drained, which it sees at its next renewal. Used by commands.ts. Reads and writes the database.

import { Failure } from '@scorpiox/mcp/errors'
import { type MachineRow, selectMachines, startDraining } from '@scorpiox/server/machines/machine-table'
import { abandonFiles, selectOwnedWorkspaces, type WorkspaceRow } from '@scorpiox/server/machines/workspace-table'
import type { Database } from '@scorpiox/server/storage/database'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { formatTable } from '@scorpiox/server/terminal/text-layout'

const USAGE = 'machines takes no arguments, or drain <name>'
const MAX_SHOWN_WORKSPACES = 50

/** Returns the text to print. */
export async function runMachinesCommand(
  database: Database,
  operands: readonly string[],
  isJson: boolean,
): Promise<string> {
  const [verb, name, ...extra] = operands
  if (verb === undefined) return list(database, isJson)
  if (verb === 'drain' && name !== undefined && extra.length === 0) return drain(database, name, isJson)
  throw new UsageError(USAGE)
}

async function list(database: Database, isJson: boolean): Promise<string> {
  const { machines, workspaces } = await database.read(async (sql) => ({
    machines: await selectMachines(sql),
    workspaces: await selectOwnedWorkspaces(sql),
  }))
  if (isJson) return formatJson(machines, workspaces)
  if (machines.length === 0) return 'No machines. Start one: scorpiox-code serve --http, with ADVERTISE_URL set\n'
  const rows = machines.map(({ name, address, state, startedAt, renewedAt, workspaces: count, version }) => {
    const since = state === 'silent' || state === 'lost' ? renewedAt : startedAt
    return [name, address, state, formatTime(since), String(count), version]
  })
  const table = formatTable([['NAME', 'ADDRESS', 'STATE', 'SINCE', 'WORKSPACES', 'VERSION'], ...rows])
  return workspaces.length === 0 ? table : `${table}\n${formatWorkspaces(machines, workspaces)}`
}

function formatWorkspaces(machines: readonly MachineRow[], workspaces: readonly WorkspaceRow[]): string {
  const names = namesOf(machines)
  const rows = workspaces
    .slice(0, MAX_SHOWN_WORKSPACES)
    .map(({ user, project, owner, claimedAt }) => [user, project, names.get(owner) ?? owner, formatTime(claimedAt)])
  const more = workspaces.length - rows.length
  const rest = more > 0 ? `… and ${more} more; --json prints all of them\n` : ''
  return `${formatTable([['USER', 'PROJECT', 'MACHINE', 'SINCE'], ...rows])}${rest}`
}

async function drain(database: Database, name: string, isJson: boolean): Promise<string> {
  const { drained, abandoned } = await database.write('machines', async (sql) => ({
    value: { drained: await startDraining(sql, name), abandoned: await abandonFiles(sql, name) },
    commit: true,
  }))
  if (drained.length + abandoned === 0) {
    throw new Failure(
      `no machine named ${name} is running or has files of users; to list the machines: scorpiox-code machines`,
    )
  }
  if (abandoned > 0 && !isJson)
    return `${name} is not running: ${abandoned} of its users continue on other machines, without the files on ${name}.\n`
  if (isJson) return `${JSON.stringify({ draining: drained, abandoned }, null, 2)}\n`
  return drained.map((machine) => `${machine} hands over its users, finishes its calls and stops.\n`).join('')
}

function formatJson(machines: readonly MachineRow[], workspaces: readonly WorkspaceRow[]): string {
  const names = namesOf(machines)
  const owned = workspaces.map(({ owner, claimedAt, ...workspace }) => ({
    ...workspace,
    machine: names.get(owner) ?? owner,
    since: formatTime(claimedAt),
  }))
  const listed = machines.map(({ startedAt, renewedAt, ...machine }) => ({
    ...machine,
    startedAt: formatTime(startedAt),
    renewedAt: formatTime(renewedAt),
  }))
  return `${JSON.stringify({ machines: listed, workspaces: owned }, null, 2)}\n`
}

function namesOf(machines: readonly MachineRow[]): ReadonlyMap<string, string> {
  return new Map(machines.map(({ incarnation, name }) => [incarnation, name]))
}

/** Of the database's clock. */
function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}
