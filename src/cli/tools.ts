// `scorpiox-code tools`: the tools as text, or exactly what `tools/list` sends.

import type { Catalogue } from '../protocol/catalogue.js'
import { NEWEST_LEGACY } from '../protocol/revision.js'

export function toolsReport(catalogue: Catalogue): string {
  const rows = catalogue.names().map((name) => {
    const entry = catalogue.find(name)
    const [firstLine = ''] = entry?.tool.description?.split('\n') ?? []
    return `${name}(${[...(entry?.inputNames ?? [])].join(', ')})\n    ${firstLine}\n`
  })
  return rows.join('') || 'All tools are disabled.\n'
}

export function toolsJson(catalogue: Catalogue): string {
  return `${JSON.stringify(JSON.parse(`{${catalogue.list(NEWEST_LEGACY, undefined)}}`).tools, null, 2)}\n`
}
