// The measured subjects. The baseline is the bare loop as an ES module; as CommonJS it starts sooner and is shown beside it.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { TOKEN } from './http-requests.mjs'

const bench = join(dirname(fileURLToPath(import.meta.url)), '..')
const subject = (name) => join(bench, 'subjects', name)
const built = (name) => join(bench, '..', 'dist', name)
// The package that was added last: an older installation lacks it and is renewed.
const sdkPackage = join(bench, 'node_modules', '@modelcontextprotocol', 'node')

const SERVE_HTTP = ['serve', '--http', '--port', '0', '-e', 'RATE_LIMIT=0', '-e', `HTTP_TOKEN=${TOKEN}`]

// `file` serves stdio, `shell` a tool that runs commands, `http` calls over HTTP, `streams` the streams of changes.
const SUBJECTS = [
  {
    key: 'bare',
    title: 'bare .mjs',
    file: subject('bare.mjs'),
    shell: [subject('bare-shell.mjs')],
    http: [subject('bare-http.mjs')],
    streams: [subject('bare-streams.mjs')],
  },
  { key: 'bareCjs', title: 'bare .cjs', file: subject('bare.cjs') },
  {
    key: 'sdk',
    title: 'SDK 2.4.0',
    file: subject('sdk.mjs'),
    http: [subject('sdk-http.mjs')],
    streams: [subject('sdk-streams.mjs')],
    needs: sdkPackage,
    hint: 'npm ci in bench/ failed',
  },
  {
    key: 'echo',
    title: 'ours, echo',
    file: subject('ours-echo.mjs'),
    http: [subject('ours-http.mjs')],
    streams: [subject('ours-streams.mjs')],
    needs: built('library.mjs'),
  },
  {
    key: 'server',
    title: 'ours, server',
    file: built('scorpiox-code.js'),
    shell: [built('scorpiox-code.js')],
    http: [built('scorpiox-code.js'), ...SERVE_HTTP],
    needs: built('scorpiox-code.js'),
  },
  // Measured if it was built: npm run binary.
  {
    key: 'executable',
    title: 'executable',
    alone: built(process.platform === 'win32' ? 'scorpiox-code.exe' : 'scorpiox-code'),
  },
]

export const TITLES = Object.fromEntries(SUBJECTS.map(({ key, title }) => [key, title]))
/** To be required by a server that shall hold more than its own. */
export const BALLAST = subject('ballast.cjs')
export const NODE_ALONE = [process.execPath, '-e', '0']

const installSdk = () => {
  if (existsSync(sdkPackage)) return
  process.stderr.write('npm ci in bench/ (once)\n')
  const options = { cwd: bench, stdio: ['ignore', 2, 2], timeout: 180_000, shell: process.platform === 'win32' }
  spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options)
}

/** The subjects that can run, and a sentence for each that cannot. */
export const findSubjects = () => {
  installSdk()
  const subjects = []
  const problems = []
  const node = (args) => args && [process.execPath, ...args]
  for (const { key, title, file, alone, shell, http, streams, needs, hint = 'run `npm run build` first' } of SUBJECTS) {
    if (alone !== undefined) {
      if (existsSync(alone)) subjects.push({ key, title, command: [alone] })
      continue
    }
    if (needs !== undefined && !existsSync(needs)) {
      problems.push(`${title}: left out, ${needs.slice(dirname(bench).length + 1)} is missing (${hint})`)
      continue
    }
    subjects.push({ key, title, command: node([file]), shell: node(shell), http: node(http), streams: node(streams) })
  }
  return { subjects, problems }
}
