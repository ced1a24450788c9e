// Parses a page for the comparison of translations: sections with their code blocks, inline code, pictures, list items and table
// rows; links and anchors.

const FENCE = /^\s*(?:>\s*)?(`{3,}|~{3,})(.*)$/

export function readPage(text) {
  const sections = [newSection(0, '', '')]
  const ids = new Map()
  const prose = []
  let fence
  let generated = false
  for (const [index, line] of text.split('\n').entries()) {
    const mark = FENCE.exec(line)
    const section = sections.at(-1)
    if (fence !== undefined) {
      if (mark !== null && mark[1].startsWith(fence.mark) && mark[2].trim() === '') fence = undefined
      else fence.block.lines.push(line)
    } else if (mark !== null) {
      fence = { mark: mark[1], block: { info: mark[2].trim(), at: index + 1, lines: [] } }
      section.code.push(fence.block)
    } else {
      if (/^<!-- (generated|end): /.test(line)) generated = line.startsWith('<!-- generated')
      prose.push({ line, at: index + 1, generated })
      const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line)
      if (heading !== null) sections.push(newSection(heading[1].length, heading[2], ids))
      else if (!generated) take(section, line)
    }
  }
  return { sections, prose }
}

export function anchorsOf({ sections, prose }) {
  const named = prose.flatMap(({ line }) => [...line.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id))
  return new Set([...sections.flatMap(({ slug, id }) => [slug, id]), ...named])
}

/** Link targets of a page: links and pictures, also in HTML, but not in code. */
export function linksOf({ prose }) {
  return prose.flatMap(({ line, at }) => {
    const bare = line.replaceAll(/(`+).*?\1/g, '`code`')
    const found = [
      ...bare.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g),
      ...bare.matchAll(/\b(?:href|src|srcset)="([^"\s]+)"/g),
    ]
    return found.map(([, target]) => ({ target, at }))
  })
}

/**
 * The sections of a page with their blocks (heading, paragraph, list, table, or the comments of a code block), without generated
 * parts and code.
 */
export function readBlocks(text) {
  const { sections, prose } = readPage(text)
  const found = sections.map(({ level, id, title }) => ({
    level,
    id,
    title: title || 'before the title',
    at: 1,
    blocks: [],
  }))
  let current = 0
  let open
  for (const { line, at, generated } of prose) {
    const isHeading = /^#{1,6}\s/.test(line)
    if (isHeading) found[(current += 1)].at = at
    if (generated || line.trim() === '' || /^<!-- |^<\/?div\b/.test(line)) open = undefined
    else if (!isHeading && open?.end === at - 1) Object.assign(open, { end: at, lines: [...open.lines, line] })
    else {
      const block = { at, end: at, lines: [line] }
      found[current].blocks.push(block)
      open = isHeading ? undefined : block
    }
  }
  for (const [index, { code }] of sections.entries()) {
    const { blocks } = found[index]
    blocks.push(...code.flatMap(commentsOf))
    blocks.sort((a, b) => a.at - b.at)
  }
  return found
}

/** The comments of a code block as one block, or none. What a command prints (`console`) has none. */
function commentsOf({ info, at, lines }) {
  if (info === 'console') return []
  const pattern = commentPattern(info)
  const found = lines.flatMap((line, index) => {
    const text = pattern.exec(line)?.[2]?.trim()
    return text ? [{ at: at + index + 1, line: `- ${text}` }] : []
  })
  return found.length === 0 ? [] : [{ at: found[0].at, end: found.at(-1).at, lines: found.map(({ line }) => line) }]
}

/** A code block without its comments, which may be translated. */
export function codeOnly({ info, lines }) {
  const comment = commentPattern(info)
  return lines.map((line) => line.replace(comment, '').trimEnd())
}

function commentPattern(info) {
  return /^(js|ts|mjs|json|javascript|typescript)/.test(info) ? /(^|\s+)\/\/(\s.*)?$/ : /(^|\s+)#(\s.*)?$/
}

function newSection(level, heading, ids) {
  const id = /<a id="([^"]+)"><\/a>/.exec(heading)?.[1]
  const title = heading.replaceAll(/<[^>]+>/g, '').trim()
  const slug = ids === '' ? '' : unique(slugOf(title), ids)
  return {
    level,
    title,
    slug,
    id: id ?? slug,
    code: [],
    inline: new Set(),
    counts: { picture: 0, 'list item': 0, 'table row': 0 },
  }
}

/** As GitHub makes the anchor of a heading. */
function slugOf(title) {
  return title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

function unique(slug, ids) {
  const times = ids.get(slug) ?? 0
  ids.set(slug, times + 1)
  return times === 0 ? slug : `${slug}-${times}`
}

function take(section, line) {
  for (const [, , code] of line.matchAll(/(`+)(.+?)\1/g)) section.inline.add(code.trim())
  section.counts.picture += [...line.matchAll(/!\[[^\]]*\]\(|<img\s/g)].length
  if (/^\s*([-*+]|\d+\.)\s/.test(line)) section.counts['list item'] += 1
  if (/^\s*\|/.test(line)) section.counts['table row'] += 1
}
