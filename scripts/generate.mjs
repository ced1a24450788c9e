// Writes what is generated from the code: the tool table of the README, docs/tools.md, docs/configuration.md, docs/api.md,
// server.json, the pinned surface of each tool and the sizes to compare with. With --check it writes nothing and fails
// where a file is not up to date.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { apiReport } from './api-report.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const check = process.argv.includes('--check')
const stale = []
const API = 'docs/api.md'

const tools = ask('tools')
const { options } = ask('config')

mkdirSync('test/surface', { recursive: true })
for (const tool of tools) put(`test/surface/${tool.name}.json`, `${JSON.stringify(tool, null, 2)}\n`)
for (const file of readdirSync('test/surface')) {
  if (!tools.some(({ name }) => file === `${name}.json`)) remove(`test/surface/${file}`)
}
between('README.md', 'tools', toolTable())
between('docs/tools.md', 'tools', toolPages())
between('docs/configuration.md', 'options', optionTable())
put(API, apiReport('dist/types/library.d.ts'))

if (stale.length > 0) {
  if (stale.includes(API)) {
    process.stderr.write(
      `the public API of the library changed: run npm run generate, read the difference in ${API}, and give it a line in CHANGELOG.md\n`,
    )
  }
  process.stderr.write(`not up to date: ${stale.join(', ')}; run npm run generate\n`)
  process.exit(1)
}

/** Asks the built program, with nothing of this machine's settings in its environment. */
function ask(command) {
  const program = fileURLToPath(new URL('../dist/scorpiox-code.js', import.meta.url))
  const env = { PATH: process.env.PATH, HOME: join(tmpdir(), 'nobody') }
  return JSON.parse(
    execFileSync(process.execPath, [program, command, '--json'], { cwd: tmpdir(), env, encoding: 'utf8' }),
  )
}

function toolTable() {
  const rows = tools.map(({ name, description }) => `| \`${name}\` | ${description.split('\n')[0]} |`)
  return ['| tool | what it does |', '|---|---|', ...rows].join('\n')
}

function toolPages() {
  return tools
    .map((tool) => `## ${tool.name}\n\n${tool.description}\n\n${parameters(tool)}\n\n${hints(tool)}`)
    .join('\n\n')
}

function parameters({ inputSchema }) {
  const rows = Object.entries(inputSchema.properties ?? {}).map(([name, schema]) => {
    const need = inputSchema.required?.includes(name) ? 'required' : 'optional'
    return `| \`${name}\` | ${schema.type} | ${need} | ${schema.description ?? ''} |`
  })
  if (rows.length === 0) return 'No parameters.'
  return ['| parameter | type | | |', '|---|---|---|---|', ...rows].join('\n')
}

function hints({ annotations }) {
  const said = Object.entries({ openWorldHint: true, ...annotations }).filter(([, value]) => value)
  const words = said.map(([hint]) => hint.replace('Hint', '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
  return `Hints: ${words.join(', ') || 'none'}.`
}

function optionTable() {
  const served = options.filter(
    ({ key }) => !isSwitch(key) || tools.some(({ name }) => key === `TOOL_${name.toUpperCase()}`),
  )
  const rows = served.map(({ key, type, choices, default: fallback, about, project }) => {
    const kind = choices ? choices.map((choice) => `\`${choice}\``).join(' ') : type
    return `| \`${key}\` | ${kind} | ${fallback === '' ? '' : `\`${fallback}\``} | ${about}${project ? '' : ' Not from project files.'} |`
  })
  return ['| key | type | default | |', '|---|---|---|---|', ...rows].join('\n')
}

function isSwitch(key) {
  return key.startsWith('TOOL_')
}

function between(file, name, text) {
  const [open, close] = [`<!-- generated: ${name} -->`, `<!-- end: ${name} -->`]
  const old = readFileSync(file, 'utf8')
  const [before, rest] = old.split(open)
  const after = rest?.split(close)[1]
  if (after === undefined) throw new Error(`${file} has no ${open} … ${close}`)
  put(file, `${before}${open}\n${text}\n${close}${after}`)
}

function put(file, text) {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  if (check) stale.push(file)
  else writeFileSync(file, text)
}

function remove(file) {
  if (check) stale.push(file)
  else rmSync(file)
}
