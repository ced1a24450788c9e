// Runs the tests as on a machine without bubblewrap, tmux, PostgreSQL and Chromium: `npm run test:bare [-- file...]`.
// Without files, those tests that mention one of these programs or start the HTTP server or the command line, whose
// behaviour depends on them; the others start nothing that could be missing. Long tests are left out, as in `npm test`.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const hidden = 'bwrap,tmux,psql,postgres,initdb,pg_ctl,chromium*,chrome*,google-chrome*,microsoft-edge*'
const dependent = /startProgram|requires\(|'serve'|sandbox|bwrap|chromium|postgres|tmux|doctor|PlanMode/i

const named = process.argv.slice(2)
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name))
const files = named.length > 0 ? named : tests.filter((file) => dependent.test(readFileSync(file, 'utf8')))
const command = ['scripts/without-programs.mjs', hidden, 'vitest', 'run', '--tags-filter=!long', ...files]
process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1
