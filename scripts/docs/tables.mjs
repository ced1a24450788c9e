// The generated parts of pages in one language. Text for the model stays English, with a translation beside it.

import { render } from '../../bench/peers/report.mjs'
import { renderClients } from '../../judges/agents/table.mjs'

export function makeTables(
  { tools, options, peers, clients = {} },
  { translate },
  { translated = false, rtl = false } = {},
) {
  return { toolTable, toolPages, optionTable, comparison, clientTable: () => renderClients(clients) }

  function toolTable() {
    const rows = tools.map(({ name, description }) => [code(name), translate(description.split('\n')[0])])
    return table([translate('tool'), translate('what it does')], rows)
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
    return [ltr(quoted), paragraphs(lines.map(translate))].join('\n\n')
  }

  function parameters({ inputSchema }) {
    const rows = Object.entries(inputSchema.properties ?? {}).map(([name, { type, description = '' }]) => {
      const need = translate(inputSchema.required?.includes(name) ? 'required' : 'optional')
      const original = rtl && description !== '' ? `<span dir="ltr">${description}</span>` : description
      return [code(name), type, need, ...(translated ? [original, translate(description)] : [description])]
    })
    if (rows.length === 0) return translate('No parameters.')
    const heads = [
      translate('parameter'),
      translate('type'),
      '',
      ...(translated ? [translate('as the model reads it')] : []),
      translate('description'),
    ]
    return table(heads, rows)
  }

  function hints({ annotations }) {
    const active = Object.entries({ openWorldHint: true, ...annotations }).filter(([, value]) => value)
    const names = active.map(([hint]) =>
      translate(hint.replace('Hint', '').replace(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`)),
    )
    return `${translate('Hints:')} ${names.join(rtl ? '، ' : ', ') || translate('none')}.`
  }

  function optionTable() {
    const rows = options
      .filter(({ key }) => !isSwitch(key) || toolOf(key) !== undefined)
      .map(({ key, type, choices, default: fallback, about, project }) => {
        const kind = choices ? choices.map(code).join(' ') : type
        const text = isSwitch(key) ? translateSwitch(about, toolOf(key).name) : translate(about)
        const note = project ? '' : ` ${translate('Not from project files.')}`
        return [code(key), kind, fallback === '' ? '' : code(fallback), withMarks(text) + note]
      })
    return table([translate('key'), translate('type'), translate('default'), translate('description')], rows)
  }

  function comparison() {
    const { day, machine, busyCores, rounds } = peers
    const noise = `other processes used ${busyCores.toFixed(1)} cores meanwhile`
    return `${render(peers)}\n\nMeasured on ${day}: ${machine}, ${rounds} rounds; ${noise}.`
  }

  function toolOf(key) {
    return tools.find(({ name }) => key === `TOOL_${name.toUpperCase()}`)
  }

  function translateSwitch(about, name) {
    return translate(about.replaceAll(name, '{tool}')).replaceAll('{tool}', name)
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

/** Code in Arabic text keeps its direction only if it begins and ends with letters or with a direction mark. */
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

/** Keeps line breaks: Markdown would join lines, except those of a list. */
function paragraphs(lines) {
  const isItem = (line = '') => line.startsWith('- ')
  return lines.map((line, at) => (at > 0 && !(isItem(line) && isItem(lines[at - 1])) ? `\n${line}` : line)).join('\n')
}

function isSwitch(key) {
  return key.startsWith('TOOL_')
}
