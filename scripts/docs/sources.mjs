// Finds translations whose English source changed. docs/<language>/sources.json records the English that each translation was
// made from: for a page, by section, one line per paragraph with a short hash per sentence; for a file of strings, a hash per key.

import { createHash } from 'node:crypto'

import { readBlocks } from './markdown.mjs'

const BEGINNING = 60

/** The record of an English page: `{ section id: [hashes of a paragraph, …] }`, without generated parts and code. */
export function recordPage(english) {
  const sections = sectionsOf(english).filter(({ blocks }) => blocks.length > 0)
  return Object.fromEntries(sections.map(({ id, blocks }) => [id, blocks.map(({ key }) => key)]))
}

/** The record of English strings: `{ key: hash }`. */
export function recordStrings(values) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hash(JSON.stringify(value))]))
}

/** What changed in the English page since `record`, as problems of `file`, its translation. */
export function stalePage(file, translated, english, record = {}) {
  const [theirs, ours] = [sectionsOf(english), sectionsOf(translated)]
  const lost = new Map(Object.entries(record).filter(([id]) => !theirs.some((section) => section.id === id)))
  const problems = theirs.flatMap((section) => {
    if (section.blocks.length === 0) return []
    const known = record[section.id] ?? renamed(section, lost)
    const own = ours.find(({ id, level }) => (section.level < 2 ? level === section.level : id === section.id))
    const place = (index) => `${file}, line ${lineOf(own, section, index)}, section '${section.title}'`
    if (known === undefined) return [`${place(0)}: stale, because English has a new section: ${quote(section.title)}`]
    return changes(known, section.blocks).map(
      ({ index, what, text }) => `${place(index)}: stale, because English ${what}: ${quote(text)}`,
    )
  })
  return [
    ...problems,
    ...[...lost.keys()].map((id) => `${file}: stale, because English no longer has the section #${id}`),
  ]
}

/** The same for strings: `values` are English, `text` is the source file of the translation. */
export function staleStrings(file, text, values, record = {}) {
  const lines = text.split('\n')
  return Object.entries(recordStrings(values)).flatMap(([key, value]) => {
    if (record[key] === value) return []
    const at = lines.findIndex((line) => line.startsWith(`  ${key}:`)) + 1
    const english = typeof values[key] === 'string' ? values[key] : JSON.stringify(values[key])
    const what = record[key] === undefined ? 'is new' : 'changed'
    return [`${file}, line ${at}, '${key}': stale, because English ${what}: ${quote(english)}`]
  })
}

/** A section with another anchor that has a paragraph of this one. */
function renamed({ blocks }, lost) {
  const [id, known] = [...lost].find(([, keys]) => blocks.some(({ key }) => keys.includes(key))) ?? []
  lost.delete(id)
  return known
}

function changes(known, blocks) {
  const gone = [...known]
  const take = (index) => (index === -1 ? undefined : gone.splice(index, 1)[0])
  const all = blocks.map((block, index) => ({ ...block, index, was: take(gone.indexOf(block.key)) }))
  const kept = all.filter(({ was }) => was !== undefined)
  const others = all.filter(({ was }) => was === undefined)
  const missing = [...gone]
  // A paragraph that shares a sentence with a former one is that one, changed; the others are compared in their order.
  for (const one of others) one.was = take(gone.findIndex((key) => sharesSentence(key, one.key)))
  for (const one of others) one.was ??= gone.shift()
  const changed = others.map((one) =>
    one.was === undefined
      ? { ...one, what: 'has a new paragraph', text: one.sentences[0].text }
      : { ...one, what: 'changed', text: changedSentence(one) },
  )
  return [...changed, ...moved(kept, without(known, missing)), ...gone.map((key) => removed(key, known, all))].sort(
    (a, b) => a.index - b.index,
  )
}

function sharesSentence(one, other) {
  return one.split(' ').some((part) => other.split(' ').includes(part))
}

function changedSentence({ was, sentences }) {
  const old = was.split(' ')
  const found =
    sentences.find((one) => !old.includes(one.hash)) ?? sentences.find((one, index) => one.hash !== old[index])
  return (found ?? sentences.at(-1)).text
}

function moved(kept, before) {
  const now = kept.map(({ key }) => key)
  if (now.join() === before.join()) return []
  const one =
    kept.find(({ key }) => without(now, [key]).join() === without(before, [key]).join()) ??
    kept.find(({ key }, index) => key !== before[index])
  return [{ ...one, what: 'moved a paragraph', text: one.sentences[0].text }]
}

function removed(key, known, all) {
  const before = known.slice(0, known.indexOf(key)).findLast((other) => all.some((one) => one.was === other))
  const after = all.find(({ was }) => before === undefined || was === before) ?? all[0]
  const what = before === undefined ? 'removed the paragraph before' : 'removed the paragraph after'
  return { index: after.index, what, text: after.sentences[0].text }
}

function without(keys, others) {
  const rest = [...keys]
  for (const key of others) rest.splice(rest.indexOf(key), 1)
  return rest
}

function sectionsOf(text) {
  return readBlocks(text).map((section) => ({ ...section, blocks: section.blocks.map(withSentences) }))
}

function withSentences({ at, lines }) {
  const items = lines
    .filter((line) => !/^\s*\|[-:| ]+\|\s*$/.test(line))
    .join('\n')
    .split(/\n(?=\s*(?:[-*+]|\d+\.)\s|\s*\|)/)
  const sentences = items
    .map((item) => item.replace(/^\s*(?:[-*+]|\d+\.|#+)\s+/, ''))
    // A link to another place changes nothing that is translated.
    .map((item) =>
      item
        .replaceAll(/\]\([^)]*\)/g, ']')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((item) => item.split(/(?<=[.!?:;][)"*`]*) (?=[\p{Lu}`*[("])/u))
    .map((text) => ({ text, hash: hash(text) }))
  return { at, sentences, key: sentences.map((one) => one.hash).join(' ') }
}

function lineOf(own, { blocks }, index) {
  if (own === undefined) return 1
  return own.blocks.length === blocks.length ? own.blocks[index].at : own.at
}

function hash(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function quote(text) {
  return `"${text.length > BEGINNING ? `${text.slice(0, BEGINNING).trimEnd()} …` : text}"`
}
