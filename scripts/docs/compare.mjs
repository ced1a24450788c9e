// Reports what a translation lacks compared with the English page: sections, code blocks, names in code, pictures, list items,
// table rows, writing direction.

import { marksOf } from './tables.mjs'
import { codeOnly, readPage } from './markdown.mjs'

export function compare(file, translated, english, { rtl = false } = {}) {
  const [theirs, ours] = [readPage(english), readPage(translated)]
  const shared = ours.sections.filter(({ id, level }) => level < 2 || theirs.sections.some((one) => one.id === id))
  return [
    ...lacking(file, theirs.sections, ours.sections),
    ...order(file, theirs.sections, ours.sections),
    ...shared.flatMap((section) => contents(file, section, counterpart(section, theirs.sections))),
    ...(rtl ? direction(file, translated, ours) : []),
  ]
}

function lacking(file, theirs, ours) {
  const has = (sections, { id, level }) => sections.some((one) => (level < 2 ? one.level === level : one.id === id))
  return [
    ...theirs
      .filter((section) => !has(ours, section))
      .map(({ title, id, level }) =>
        level < 2
          ? `${file} lacks a title`
          : `${file} lacks the section '${title}' (its heading begins with <a id="${id}"></a>)`,
      ),
    ...ours
      .filter((section) => !has(theirs, section))
      .map(
        ({ title }) =>
          `${file} has a section '${title}' that the English page has not (or its <a id="…"></a> is wrong)`,
      ),
  ]
}

function order(file, theirs, ours) {
  const known = ours.filter(({ id, level }) => level > 1 && theirs.some((one) => one.id === id))
  const expected = theirs.filter(({ id, level }) => level > 1 && known.some((one) => one.id === id))
  const misplaced = expected.find(({ id }, index) => known[index].id !== id)
  const levels = known.flatMap((section) => {
    const { title, level } = counterpart(section, theirs)
    return level === section.level
      ? []
      : [`${file} has '${title}' at level ${section.level}, English at level ${level}`]
  })
  return misplaced === undefined
    ? levels
    : [`${file} has '${misplaced.title}' in another place than English`, ...levels]
}

function counterpart(section, theirs) {
  return theirs.find(({ id, level }) => (section.level < 2 ? level === section.level : id === section.id))
}

function contents(file, ours, theirs) {
  if (theirs === undefined) return []
  const place = theirs.title === '' ? 'before the title' : `in '${theirs.title}'`
  const names = [...theirs.inline].filter((name) => !ours.inline.has(name))
  const problems = names.map((name) => `${file} does not mention \`${name}\` ${place}`)
  for (const [what, wanted] of Object.entries(theirs.counts)) {
    const found = ours.counts[what]
    if (found !== wanted) problems.push(`${file} has ${count(found, what)} ${place}, English has ${wanted}`)
  }
  if (ours.code.length !== theirs.code.length) {
    problems.push(`${file} has ${count(ours.code.length, 'code block')} ${place}, English has ${theirs.code.length}`)
    return problems
  }
  return [...problems, ...theirs.code.flatMap((block, index) => codeBlock(file, place, block, ours.code[index]))]
}

function codeBlock(file, place, theirs, ours) {
  if (ours.info !== theirs.info)
    return [`${file}, line ${ours.at}: the code block is marked '${ours.info}', in English '${theirs.info}'`]
  const [expected, found] = [codeOnly(theirs), codeOnly(ours)]
  const differs = expected.findIndex((line, index) => line !== found[index])
  const at = differs === -1 && found.length > expected.length ? expected.length : differs
  if (at === -1) return []
  return [
    `${file}, line ${ours.at + at + 1}: the code block ${place} differs from the English one: ` +
      `'${found[at] ?? ''}' instead of '${expected[at] ?? ''}'`,
  ]
}

/** Arabic pages are in a right-to-left div, their code blocks in left-to-right ones. */
function direction(file, text, { sections, prose }) {
  const lines = text.split('\n')
  const problems = []
  if (!/<div dir="rtl">\n\n/.test(text) || !/\n\n<\/div>\n*$/.test(text)) {
    problems.push(`${file} is not wrapped in <div dir="rtl"> … </div>, each with an empty line on its inner side`)
  }
  for (const { code } of sections) {
    for (const { at, lines: inside } of code) {
      const before = lines
        .slice(0, at - 1)
        .join('\n')
        .trimEnd()
      const after = lines
        .slice(at + inside.length + 1)
        .join('\n')
        .trimStart()
      if (before.endsWith('<div dir="ltr">') && after.startsWith('</div>')) continue
      problems.push(`${file}, line ${at}: the code block is not in <div dir="ltr"> … </div>`)
    }
  }
  for (const { line, at, generated } of prose) if (!generated) problems.push(...unmarked(file, line, at))
  return problems
}

function unmarked(file, line, at) {
  return [...line.matchAll(/(&lrm;)?`([^`]+)`(&lrm;)?/g)].flatMap(([, before, code, after]) => {
    const needs = marksOf(code)
    if ((!needs.before || before) && (!needs.after || after)) return []
    const wanted = `${needs.before ? '&lrm;' : ''}\`${code}\`${needs.after ? '&lrm;' : ''}`
    return [`${file}, line ${at}: \`${code}\` would be shown turned around; write ${wanted}`]
  })
}

function count(number, what) {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
