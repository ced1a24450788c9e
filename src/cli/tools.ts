// Lists the tools: a line each for a person, or exactly what a client is sent.

import { isObject } from '../lib/json.js'
import type { Catalogue } from '../protocol/catalogue.js'
import { NEWEST_LEGACY } from '../protocol/revision.js'

export function toolsReport(catalogue: Catalogue): string {
  const rows = catalogue.names().map((name) => {
    const tool = catalogue.find(name)?.tool
    const inputs =
      tool && 'properties' in tool.input && isObject(tool.input.properties) ? Object.keys(tool.input.properties) : []
    return `${name}(${inputs.join(', ')})\n    ${tool?.description.split('\n')[0] ?? ''}\n`
  })
  return rows.join('') || 'No tools are switched on.\n'
}

export function toolsJson(catalogue: Catalogue): string {
  return `${JSON.stringify(JSON.parse(`{${catalogue.list(NEWEST_LEGACY, undefined)}}`).tools, null, 2)}\n`
}
