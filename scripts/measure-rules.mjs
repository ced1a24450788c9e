// Measures the permission rules with commands of public corpora, which are not part of this repository: GTFOBins, nl2bash,
// the policy tests of Codex and Gemini CLI. Every command is evaluated with a rule that allows its first program, and what
// is allowed is run by bash without programs, in bubblewrap. Fails if bash would start another program.
//
//   node scripts/measure-rules.mjs <folder with checkouts>

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'

import { parseAllDocuments } from 'yaml'

const TEST = 'packages/server/src/features/permissions/evaluate-command-bash.test.ts'
const MAX_CHARS = 5000

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Usage: node scripts/measure-rules.mjs <folder with checkouts of the corpora>')
  process.exit(2)
}

const commands = new Set()
for (const name of readdirSync(folder)) {
  const before = commands.size
  for (const command of readCorpus(join(folder, name)))
    if (command.length <= MAX_CHARS && !command.includes('\0')) commands.add(command)
  console.log(`${name}: ${commands.size - before} commands`)
}
const work = mkdtempSync(join(tmpdir(), 'rules-'))
try {
  const file = join(work, 'commands')
  writeFileSync(file, [...commands].join('\0'))
  const env = { ...process.env, PERMISSION_CORPUS: file }
  const { status } = spawnSync('npx', ['vitest', 'run', TEST, '-t', 'allowed program'], { env, stdio: 'inherit' })
  process.exitCode = status ?? 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function* readCorpus(corpus) {
  for (const entry of readdirSync(corpus, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const extension = extname(path)
    if (basename(entry.parentPath) === '_gtfobins') yield* readYaml(path)
    else if (extension === '.cm') yield* readFileSync(path, 'utf8').split('\n').filter(Boolean)
    else if (/^\.(?:rs|ts|tsx|toml)$/.test(extension) && /polic|safety|shell|bash|dangerous/i.test(path))
      yield* readLiterals(readFileSync(path, 'utf8'))
  }
}

/** The values of all members `code`. */
function* readYaml(path) {
  const stack = parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS())
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [key, member] of Object.entries(value)) {
      if (key === 'code' && typeof member === 'string') yield member
      else stack.push(member)
    }
  }
}

/** Strings in source code that could be commands: those of several words. */
function* readLiterals(source) {
  for (const [, raw, quoted, single, template] of source.matchAll(
    /r#"([^]*?)"#|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g,
  )) {
    const text = raw ?? (quoted ?? single ?? template ?? '').replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c))
    if (/^[\w./-]+\s/.test(text)) yield text
  }
}
