// The generated parts of pages, in one language. What a model reads stays English; a translation stands beside it.

import { render } from '../../bench/peers/report.mjs'
import { renderClients } from '../../judges/agents/table.mjs'

export function makeTables({ tools, options, peers, clients = {} }, { say }, { translated = false, rtl = false } = {}) {
  return { toolTable, toolPages, optionTable, shortComparison, comparison, clientTable: () => renderClients(clients) }

  function toolTable() {
    const rows = tools.map(({ name, description }) => [code(name), say(description.split('\n')[0])])
    return table([say('tool'), say('what it does')], rows)
  }

  function toolPages() {
    return tools
      .map((tool) => [`## ${tool.name}`, describe(tool), parameters(tool), hints(tool)].join('\n\n'))
      .join('\n\n')
  }

  function describe({ description }) {
    const lines = description.split('\n')
    if (!translated) return paragraphs(lines)
    const quoted = paragraphs(lines)
      .replaceAll(/^(?=.)/gm, '> ')
      .replaceAll(/^$/gm, '>')
    return [ltr(quoted), paragraphs(lines.map(say))].join('\n\n')
  }

  function parameters({ inputSchema }) {
    const rows = Object.entries(inputSchema.properties ?? {}).map(([name, { type, description = '' }]) => {
      const need = say(inputSchema.required?.includes(name) ? 'required' : 'optional')
      const original = rtl && description !== '' ? `<span dir="ltr">${description}</span>` : description
      return [code(name), type, need, ...(translated ? [original, say(description)] : [description])]
    })
    if (rows.length === 0) return say('No parameters.')
    const heads = [say('parameter'), say('type'), '', ...(translated ? [say('as the model reads it'), ''] : [''])]
    return table(heads, rows)
  }

  function hints({ annotations }) {
    const said = Object.entries({ openWorldHint: true, ...annotations }).filter(([, value]) => value)
    const words = said.map(([hint]) =>
      say(hint.replace('Hint', '').replace(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`)),
    )
    return `${say('Hints:')} ${words.join(rtl ? '، ' : ', ') || say('none')}.`
  }

  function optionTable() {
    const rows = options
      .filter(({ key }) => !isSwitch(key) || toolOf(key) !== undefined)
      .map(({ key, type, choices, default: fallback, about, project }) => {
        const kind = choices ? choices.map(code).join(' ') : type
        const words = isSwitch(key) ? sayOfSwitch(about, toolOf(key).name) : say(about)
        const note = project ? '' : ` ${say('Not from project files.')}`
        return [code(key), kind, fallback === '' ? '' : code(fallback), withMarks(words) + note]
      })
    return table([say('key'), say('type'), say('default'), ''], rows)
  }

  function shortComparison() {
    const rows = withMarks(render(peers, { short: true, say }))
    return rtl ? rows.replaceAll(/\| ([\d,.]+ \p{L}+) (?=\|)/gu, '| <span dir="ltr">$1</span> ') : rows
  }

  function comparison() {
    const { day, machine, busyCores, rounds } = peers
    const noise = `other processes used ${busyCores.toFixed(1)} cores meanwhile`
    return `${render(peers)}\n\nMeasured on ${day}: ${machine}, ${rounds} rounds; ${noise}.`
  }

  function toolOf(key) {
    return tools.find(({ name }) => key === `TOOL_${name.toUpperCase()}`)
  }

  function sayOfSwitch(about, name) {
    return say(about.replaceAll(name, '{tool}')).replaceAll('{tool}', name)
  }

  function code(text) {
    return withMarks(`\`${text}\``)
  }

  function withMarks(text) {
    return rtl ? text.replaceAll(/(?<!&lrm;)(`[^`]+`)(?!&lrm;)/g, (span) => markCode(span)) : text
  }

  function ltr(text) {
    return rtl ? `<div dir="ltr">\n\n${text}\n\n</div>` : text
  }
}

/** Code among Arabic words keeps its direction only if it begins and ends with letters, or with a mark that says so. */
function markCode(span) {
  const { before, after } = marksOf(span.slice(1, -1))
  return `${before ? '&lrm;' : ''}${span}${after ? '&lrm;' : ''}`
}

export function marksOf(code) {
  const plain = /^[\d.,:]*\d$/.test(code)
  return { before: !plain && !/^[A-Za-z]/.test(code), after: !plain && !/[A-Za-z0-9]$/.test(code) }
}

function table(heads, rows) {
  return [heads, heads.map(() => '---'), ...rows].map(row).join('\n')
}

function row(cells) {
  return cells.every((cell) => cell === '---') ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`
}

/** Lines as they stand: Markdown would run them together, but for those of a list. */
function paragraphs(lines) {
  const isItem = (line = '') => line.startsWith('- ')
  return lines.map((line, at) => (at > 0 && !(isItem(line) && isItem(lines[at - 1])) ? `\n${line}` : line)).join('\n')
}

function isSwitch(key) {
  return key.startsWith('TOOL_')
}
