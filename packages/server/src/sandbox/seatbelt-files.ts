// Creates the files that the sandbox of macOS needs (seatbelt.ts): the folder for temporary files that its commands share,
// and what its self-test tries to reach. Removes the folders that servers have left behind that were killed.

import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { makePrivateFolder } from '@scorpiox/mcp/atomic-file'
import { listenOnLocalSocket } from '../process/local-socket.js'
import { identifyProcess } from '../process/process-identity.js'
import { replaceOwnFile } from '../storage/private-files.js'

export interface SeatbeltFiles {
  /** Commands can write to it; their TMPDIR. */
  readonly tmp: string
  readonly targets: TestTargets
  /** Only the self-test needs them. */
  readonly removeTargets: () => Promise<void>
  readonly close: () => void
}

/** What commands must not be able to read, change or reach. */
export interface TestTargets {
  readonly secret: string
  /** Outside of what commands can write to; contains the secret. */
  readonly secretFile: string
  /** In a folder of `tmp`, which commands must not be able to rename; contains the secret. */
  readonly hiddenFile: string
  /** In a folder of `tmp`; commands can read it. */
  readonly protectedFile: string
  /** In a folder of `tmp`; sends the secret. */
  readonly socket: string
  /** To hide in the self-test. */
  readonly hidden: readonly string[]
}

export async function createSeatbeltFiles(workFolder: string): Promise<SeatbeltFiles> {
  const parent = realpathSync.native(tmpdir())
  const secret = randomUUID()
  const secretFile = join(workFolder, `secret-${process.pid}-${randomUUID()}`)
  let tmp = parent
  try {
    makePrivateFolder(workFolder)
    removeStaleFolders(parent)
    // Short names: the path of a socket has at most 103 bytes.
    tmp = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
    const held = join(tmp, 'held')
    const [hiddenFile, protectedFile, hiddenFolder] = [join(held, 'file'), join(held, 'protected'), join(held, 'in')]
    const socket = join(hiddenFolder, 's')
    mkdirSync(hiddenFolder, { recursive: true })
    for (const file of [secretFile, hiddenFile]) replaceOwnFile(file, secret, 0o400)
    replaceOwnFile(protectedFile, '', 0o600)
    const server = await listenOnLocalSocket(socket, { maxLineLength: 100 }, (peer) => {
      peer.send(secret)
      return { onLine() {}, onClose() {} }
    })
    return {
      tmp,
      targets: { secret, secretFile, hiddenFile, protectedFile, socket, hidden: [hiddenFile, hiddenFolder] },
      async removeTargets() {
        await server.close()
        rmSync(secretFile, { force: true })
        rmSync(held, { recursive: true, force: true })
      },
      close: () => removeFolder(tmp),
    }
  } catch (error) {
    if (tmp !== parent) removeFolder(tmp)
    rmSync(secretFile, { force: true })
    throw new Failure(
      `The sandbox cannot store its files in ${workFolder} and ${parent}: ${errorMessage(error)}. Set STATE_DIR and TMPDIR to folders it can write to.`,
    )
  }
}

const PREFIX = 'scorpiox-sandbox-'
const MAX_REMOVED_AT_ONCE = 20

/** A server that was killed has removed nothing. */
function removeStaleFolders(parent: string): void {
  const stale = readdirSync(parent).filter((name) => isStale(parent, name))
  for (const name of stale.slice(0, MAX_REMOVED_AT_ONCE)) removeFolder(join(parent, name))
}

function isStale(parent: string, name: string): boolean {
  const pid = name.startsWith(PREFIX) ? /^\d+(?=-)/.exec(name.slice(PREFIX.length))?.[0] : undefined
  if (pid === undefined || identifyProcess(Number(pid)) !== undefined) return false
  const stat = lstatSync(join(parent, name), { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === process.getuid?.()
}

/**
 * A command that still runs could replace a folder in it by a link while it is removed. It cannot write to another name.
 * Ignores errors.
 */
function removeFolder(path: string): void {
  const renamed = `${path}-removed`
  try {
    renameSync(path, renamed)
    rmSync(renamed, { recursive: true, force: true })
  } catch {
    // The next server removes it.
  }
}
