// Runs a list of checks over one connection and reports each under the connection's label.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fixtureChecks, fixtureInterrupted, serverChecks, serverInterrupted } from './checks.mjs'
import { openSession } from './session.mjs'

const here = import.meta.dirname
const targets = {
  server: { file: resolve(here, '../../dist/scorpiox-code.js'), connections: [serverChecks, serverInterrupted] },
  fixture: { file: resolve(here, '../../test/fixture/server.mjs'), connections: [fixtureChecks, fixtureInterrupted] },
}

/**
 * Both servers, under `runtime`, with one client; each list of checks gets a connection of its own.
 * @param report what `openReport` returned
 */
export async function conduct(report, label, client, runtime) {
  for (const [name, { file, connections }] of Object.entries(targets)) {
    for (const checks of connections) {
      await conductOne(report, `${label} | ${name}`, client, { command: runtime, args: [file] }, checks)
    }
  }
}

/** One list of checks over a connection of its own; `target` is the `{ command, args }` that starts the server. */
export async function conductOne(report, label, client, target, checks) {
  const scratch = mkdtempSync(join(tmpdir(), 'judge-'))
  // The oldest client cannot set a working directory for its server, which inherits ours.
  process.chdir(scratch)
  const session = await openSession(client, target, scratch)
  const run = (what, check) => {
    const first = session.wire.length
    return report.check(
      `${label} | ${what}`,
      async () => check(),
      () => session.evidence(first),
    )
  }
  try {
    if (!(await run('connects', session.connect))) return
    for (const [what, check] of checks(session, scratch)) await run(what, check)
  } finally {
    session.dispose()
    process.chdir(here)
    rmSync(scratch, { recursive: true, force: true })
  }
}
