// Opens the sandbox of macOS: sandbox-exec with a profile for each command. A self-test runs in it at once, and a sandbox
// that fails it is not used. Opened by sandbox.ts. Starts processes for the self-test; creates a private folder for
// temporary files, and removes it on close. Not tried on a Mac: tests cover the profiles and how commands are started.

import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'
import { runToCompletion } from '../process/run-program.js'
import { createTrustedEnvironment, findTrustedProgram } from '../process/trusted-program.js'
import { isInsideDirectory } from '../files/path-containment.js'
import { checkRoots } from './check-roots.js'
import type { SandboxedCommands } from './command-factory.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import type { Sandbox, SandboxPolicy } from './sandbox.js'
import { createSeatbeltCommands } from './seatbelt-commands.js'
import { createSeatbeltFiles, type TestTargets } from './seatbelt-files.js'
import { buildSeatbeltTest, findSuccessfulSeatbeltEscapes, SEATBELT_ESCAPE_COUNT } from './seatbelt-self-test.js'

const SELF_TEST_TIMEOUT_MS = 30_000

export async function openSeatbeltSandbox(policy: SandboxPolicy): Promise<Sandbox> {
  const startedAt = performance.now()
  const { levels, workFolder } = policy
  const { project, writable, writableRoots } = checkRoots(policy)
  const env = createTrustedEnvironment(policy.env, writableRoots)
  const bash = findTrustedProgram('bash', env, writableRoots)
  if (bash === undefined) throw new Failure('The sandbox needs bash, which was not found in PATH.')
  const { tmp, targets, removeTargets, close } = await createSeatbeltFiles(workFolder)
  const hidden = [...policy.hidden, workFolder]
  const commands = createSeatbeltCommands({ ...policy, project, writable, hidden }, { bash, tmp })
  const testCommands = createSeatbeltCommands(
    {
      ...policy,
      project,
      writable,
      hidden: [...hidden, ...targets.hidden],
      readOnly: [...policy.readOnly, targets.protectedFile],
    },
    { bash, tmp },
  )
  try {
    for (const level of levels)
      await runSelfTest(level, testCommands.create(level), { ...policy, env, project, writable }, targets)
  } catch (error) {
    close()
    throw error
  } finally {
    await removeTargets()
  }
  const tookMs = Math.round(performance.now() - startedAt)
  return {
    create(level, grants) {
      if (!levels.includes(level)) throw new Error(`the sandbox was not tested at the level ${level}`)
      return commands.create(level, grants)
    },
    close: async () => close(),
    report: {
      program: 'sandbox-exec',
      levels,
      pids: 'nothing',
      memory: 'nothing',
      escapesTried: SEATBELT_ESCAPE_COUNT,
      tookMs,
    },
  }
}

async function runSelfTest(
  level: ActiveSandboxLevel,
  { argv, bash }: ReturnType<SandboxedCommands['create']>,
  policy: SandboxPolicy,
  targets: TestTargets,
): Promise<void> {
  const [file = '', ...args] = [
    ...argv,
    ...buildSeatbeltTest({
      bash,
      level,
      ...targets,
      project: policy.project,
      unwritable: listUnwritable(level, policy),
    }),
  ]
  const { output, timedOut } = await runToCompletion(file, args, policy.env, SELF_TEST_TIMEOUT_MS)
  const escapes = findSuccessfulSeatbeltEscapes(output)
  if (escapes.length === 0) return
  if (timedOut)
    throw new Failure(
      `The sandbox could not be tested within ${SELF_TEST_TIMEOUT_MS / 1000} s. The command was not started; the test is repeated with the next one.`,
    )
  if (escapes.length === SEATBELT_ESCAPE_COUNT)
    throw new Failure(
      `The sandbox does not start: ${output.trim().split('\n').at(-1) ?? ''}. Inside another sandbox macOS starts none: ` +
        'start the server outside of it, or set SANDBOX=off only if you trust every command.',
    )
  throw new Failure(
    `Sandbox self-test failed at level ${level}: these escapes succeeded: ${escapes.join(', ')}. No command is run. ` +
      'Set SANDBOX=off only if you trust every command, or run the server in a virtual machine.',
  )
}

/** Where the self-test tries to create a file. */
export function listUnwritable(
  level: ActiveSandboxLevel,
  {
    project,
    writable,
    home,
    workFolder,
    allowsOnlyGrants = false,
  }: Pick<SandboxPolicy, 'project' | 'writable' | 'home' | 'workFolder' | 'allowsOnlyGrants'>,
): readonly string[] {
  const isProjectWritable =
    !allowsOnlyGrants && (level !== 'read-only' || writable.some((root) => isInsideDirectory(project, root)))
  const denied = allowsOnlyGrants ? writable : []
  const folders = [workFolder, home, '/tmp', ...denied, isProjectWritable ? join(project, '.scorpiox') : project]
  return folders.filter((path) => path !== '')
}
