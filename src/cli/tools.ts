// Lists the tools: a line each for a person, or exactly what a client is sent.

import type { Catalogue } from '../protocol/catalogue.js'
import { NEWEST_LEGACY } from '../protocol/revision.js'

export function toolsReport(catalogue: Catalogue): string {
  const rows = catalogue.names().map((name) => {
    const entry = catalogue.find(name)
    const [firstLine = ''] = entry?.tool.description?.split('\n') ?? []
    return `${name}(${[...(entry?.inputNames ?? [])].join(', ')})\n    ${firstLine}\n`
  })
  return rows.join('') || 'No tools are switched on.\n'
}

export function toolsJson(catalogue: Catalogue): string {
  return `${JSON.stringify(JSON.parse(`{${catalogue.list(NEWEST_LEGACY, undefined)}}`).tools, null, 2)}\n`
}
