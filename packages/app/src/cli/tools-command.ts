// `scorpiox-code tools`: the tools as text, or exactly what `tools/list` sends.

import type { ToolRegistry } from '@scorpiox/mcp/registry/tool-registry'
import { NEWEST_LEGACY } from '@scorpiox/mcp/revisions/revision'

export function formatTools(catalogue: ToolRegistry): string {
  const rows = catalogue.names().map((name) => {
    const entry = catalogue.find(name)
    const [firstLine = ''] = entry?.tool.description?.split('\n') ?? []
    return `${name}(${[...(entry?.inputNames ?? [])].join(', ')})\n    ${firstLine}\n`
  })
  return rows.join('') || 'All tools are disabled.\n'
}

export function formatToolsJson(catalogue: ToolRegistry): string {
  return `${JSON.stringify(JSON.parse(`{${catalogue.list(NEWEST_LEGACY, undefined)}}`).tools, null, 2)}\n`
}
