// Edits a text with the user's editor, $VISUAL or $EDITOR, in a private temporary file. The editor uses the terminal of
// this process. Used by the inbox. Starts the editor.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { startChild } from '../process/spawn.js'

/** The variables may contain arguments, so a shell splits them. */
const START_EDITOR = 'exec ${VISUAL:-${EDITOR:-vi}} "$1"'

/** Throws a Failure if the editor cannot be started or exits with an error. */
export async function editText(text: string, name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'scorpiox-edit-'))
  const file = join(folder, name)
  try {
    await writeFile(file, text, { mode: 0o600 })
    const { spawned, exited } = startChild('/bin/sh', ['-c', START_EDITOR, 'sh', file], { env, stdio: 'inherit' })
    await spawned
    const { code } = await exited
    if (code !== 0) throw new Failure(`exit code ${code ?? 'unknown'}`)
    return await readFile(file, 'utf8')
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(errorMessage(error))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
