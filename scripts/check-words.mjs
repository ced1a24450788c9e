// Finds words that only this project used, and phrases that make persons of processes, in names, comments, messages and
// documentation; and "background task" for a job, in documentation and messages. Prints each with its file and line, and fails
// if there is one.
//
//   node scripts/check-words.mjs [--count] [path…]     all tracked files, or those at or below the paths
//
// --count prints the number of findings in each area instead.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = resolve(import.meta.dirname, '..')

/** Anywhere: names, comments, messages, documentation. */
const PHRASES = /\bwhoever\b|\bunless told\b/giu

/** In comments and documentation. A question may begin with "Who". */
const SUBJECTS =
  /(?:^[/*#\s]*|[.!;:] +|\n[/*#\s]*)Who (?![^.\n]*\?)|, who\b|\b(?:those|one|anyone|everyone) who\b|\b(?:nobody|somebody|everybody|(?<!unless )told|hears?|heard)\b/gu

/** In messages of the program. Texts in tests are data. */
const MESSAGES = /\b(?:nobody|somebody|everybody)\b/giu

/** Another word for a job, also on two lines or in two parts of a concatenated string. */
const BACKGROUND_TASK = /\bbackground(?:[\s*>]|['"`]\s*\+\s*['"`])+tasks?\b/giu

/** Where "job" is the only word: English pages, and the messages of the program. */
const JOB_PATHS = /^(?:README|CHANGELOG)\.md$|^docs\/[^/]+\.md$|^packages\/[^/]+\/src\/(?!.*\.test\.tsx?$).*\.tsx?$/

/** The published first lines of three tool descriptions. */
const PUBLISHED_LINES =
  /Read new output from a background task|List all background tasks with status and runtime|Kill a running background task by ID/g

/** One sentence of each of these pages says that the published names call a job a background task. */
const EXPLAINED = /^docs\/(?:shell|tools)\.md$/
const EXPLANATION = /^(?=[^]*\bjobs?\b)[^]*(?:\bnames?\b|`(?:ReadBgOutput|ListBgTasks|KillBgTask|task_id)`)/iu

/** As a part of a name: `cageFor`, `isCage`, `CAGE_MS`, `cage.ts`; plurals too. */
const PRIVATE_WORDS = new Set(
  (
    'acquaintance attendance besides cage census darkroom desk errand glimpse heard heir house household ladder lodging ' +
    'nobody nursery nurse nursling onlooker parcel person rung said somebody surroundings tide told timekeeper upkeep ' +
    'vigil vitals whereabouts whoever wish workshop world'
  ).split(' '),
)

/** What stays, each with the reason. */
const ALLOWED = [
  { name: /^rung$/, reason: 'a key of the result of AskUserQuestion' },
  { name: /^said$/, path: /question|machines/, reason: 'the key of the form of AskUserQuestion' },
  { name: /^openWorld/i, reason: 'a hint of the protocol' },
  {
    name: /person/i,
    path: /grammar|seeds\.test|tutorial|write-your-own|mcp-package/,
    reason: 'an argument of the grammar example',
  },
  { name: /^(?:canBe|as)?nobody$/i, path: /intrusion\.test|postgres-server/, reason: 'the Unix user nobody' },
  { name: /^(?:is|describe)?world_?writ/i, reason: 'a permission bit of Unix' },
  { name: /^world(?:Name)?$/, path: /browser-page/, reason: 'an isolated world of the DevTools protocol' },
]

/** Published texts, other languages, recorded pages, and this list. */
const EXCLUDED = [
  /^LICENSE$/,
  /(?:^|\/)package-lock\.json$/,
  /^docs\/(?:ar|ko)\//,
  /\/(?:i18n|messages)\/(?:ar|ko)\.ts$/,
  /\.(?:ar|ko)\.\w+$/,
  /^test\/surface\//,
  /^bench\/extract\/(?:pages|corpus)\//,
  /^scripts\/check-words\./,
  /^test\/check-words\.test\.ts$/,
]

const CODE = new Set(['.ts', '.tsx', '.mts', '.mjs', '.cjs', '.js'])
const SCRIPTS = new Set(['.sh', '.py'])

/**
 * The findings in one file.
 * @param {string} path below the repository
 * @param {string} text
 */
export function findWords(path, text) {
  const findings = namesIn(path, path).map((word) => ({ path, line: 1, word, kind: 'file name' }))
  const add = (offset, word, kind) =>
    findings.push({ path, line: text.slice(0, offset).split('\n').length, word: word.trim(), kind })
  const match = (pattern, kind, part, start) => {
    for (const found of part.matchAll(pattern)) add(start + found.index, found[0].replace(/^[^A-Za-z]+/u, ''), kind)
  }

  for (const offset of backgroundTasks(path, text)) add(offset, 'background task (job)', 'term')
  // History keeps its other words.
  if (path === 'CHANGELOG.md') return findings
  match(PHRASES, 'phrase', text, 0)
  const isTest = /^test\/|\.test\.tsx?$/.test(path)
  for (const { kind, start, end } of partsOf(path, text)) {
    const part = text.slice(start, end)
    if (kind === 'prose') match(SUBJECTS, 'comment', part.replace(/`[^`\n]*`|"[^"\n]*"/gu, blank), start)
    else if (kind === 'string' && !isTest) match(MESSAGES, 'message', part, start)
    else if (kind === 'code') {
      for (const { 0: name, index } of part.matchAll(/[A-Za-z_$][\w$]*/gu)) {
        for (const word of namesIn(name, path)) add(start + index, `${name} (${word})`, 'name')
      }
    }
  }
  return findings.sort((a, b) => a.line - b.line)
}

/** Where a text calls a job a background task. Comments may. */
function backgroundTasks(path, text) {
  if (!JOB_PATHS.test(path) || text.search(BACKGROUND_TASK) === -1) return []
  let shown = text.replaceAll(PUBLISHED_LINES, blank)
  if (extname(path) !== '.md') {
    for (const { kind, start, end } of lex(text))
      if (kind === 'prose') shown = shown.slice(0, start) + blank(text.slice(start, end)) + shown.slice(end)
  }
  const found = [...shown.matchAll(BACKGROUND_TASK)].map(({ index }) => index)
  if (!EXPLAINED.test(path)) return found
  const explanation = found.findIndex((index) => EXPLANATION.test(sentenceAt(text, index)))
  return found.filter((_, index) => index !== explanation)
}

function sentenceAt(text, offset) {
  const end = /[.!?]\s|\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s)/u
  return `${text.slice(0, offset).split(end).at(-1)}${text.slice(offset).split(end)[0]}`
}

function blank(part) {
  return part.replaceAll(/[^\n]/gu, ' ')
}

/** The private words in a name or path. */
function namesIn(name, path) {
  if (ALLOWED.some((allowed) => allowed.name.test(name) && (allowed.path?.test(path) ?? true))) return []
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/u)
  return words.filter((word) => PRIVATE_WORDS.has(word) || PRIVATE_WORDS.has(word.replace(/s$/u, '')))
}

/** Splits a text into code, strings and prose (comments, or the text of a page). */
function partsOf(path, text) {
  if (extname(path) === '.md') return withoutFences(text)
  if (CODE.has(extname(path))) return lex(text)
  if (SCRIPTS.has(extname(path))) {
    return [...text.matchAll(/(?:^|\s)#.*/gmu)].map(({ 0: comment, index }) => {
      return { kind: 'prose', start: index, end: index + comment.length }
    })
  }
  return []
}

function withoutFences(text) {
  const parts = []
  let start = 0
  for (const { 0: fence, index } of text.matchAll(/^ *```[\s\S]*?^ *```/gmu)) {
    parts.push({ kind: 'prose', start, end: index })
    start = index + fence.length
  }
  return [...parts, { kind: 'prose', start, end: text.length }]
}

/** A lexer that knows comments, strings, templates and regular expressions; a quote never spans lines. */
function lex(text) {
  const parts = []
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[=(,:[!&|?{};]\s*|\breturn\s)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/gu
  let code = 0
  let comment
  for (const { 0: found, index } of text.matchAll(token)) {
    const end = index + found.length
    parts.push({ kind: 'code', start: code, end: index })
    code = end
    if (!found.startsWith('//') && !found.startsWith('/*')) {
      parts.push({ kind: 'string', start: index, end })
      if (found.startsWith('`')) parts.push(...expressionsOf(found, index))
      comment = undefined
      continue
    }
    // Lines of one comment belong together: a sentence may continue on the next line.
    if (comment && found.startsWith('//') && /^\n\s*$/u.test(text.slice(comment.end, index))) comment.end = end
    else parts.push((comment = { kind: 'prose', start: index, end }))
  }
  parts.push({ kind: 'code', start: code, end: text.length })
  return parts
}

/** The code in a template; its nested strings and templates are skipped. */
function expressionsOf(template, start) {
  return [...template.matchAll(/\$\{([^}'"`]*)/gu)].map(({ 0: found, index }) => {
    return { kind: 'code', start: start + index + 2, end: start + index + found.length }
  })
}

function areaOf(path) {
  if (/\.test\.tsx?$/.test(path) || path.startsWith('test/')) return 'tests'
  const [first, second] = path.split('/')
  if (first === 'packages') return `packages/${second}`
  return path.includes('/') ? first : 'root'
}

function main(args) {
  const paths = args.filter((arg) => !arg.startsWith('--'))
  const tracked = execFileSync('git', ['ls-files', '-z', '--', ...paths], { cwd: ROOT, encoding: 'utf8' })
  const files = tracked.split('\0').filter((path) => path !== '' && !EXCLUDED.some((pattern) => pattern.test(path)))
  const readable = files.filter(
    (path) => extname(path) === '.md' || CODE.has(extname(path)) || SCRIPTS.has(extname(path)),
  )
  const findings = readable.flatMap((path) => findWords(path, readFileSync(resolve(ROOT, path), 'utf8')))
  if (args.includes('--count')) {
    const counts = new Map()
    for (const { path } of findings) counts.set(areaOf(path), (counts.get(areaOf(path)) ?? 0) + 1)
    for (const [area, count] of [...counts].sort(([a], [b]) => a.localeCompare(b)))
      console.log(`${String(count).padStart(5)} ${area}`)
  } else for (const { path, line, kind, word } of findings) console.log(`${path}:${line}: ${kind}: ${word}`)
  if (findings.length > 0) {
    console.log(`${findings.length} private words, phrases or terms; CONTRIBUTING.md says what to write instead`)
    process.exitCode = 1
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
