// Bundler plugin for imports of shell scripts as text, such as './shell-supervisor.sh?raw', which the test runner supports
// natively.

import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const QUERY = '?raw'

export const rawText = {
  name: 'raw-text',
  resolveId: (id, importer) => (id.endsWith(`.sh${QUERY}`) ? resolve(dirname(importer), id) : null),
  load: async (id) => {
    if (!id.endsWith(`.sh${QUERY}`)) return null
    return `export default ${JSON.stringify(await readFile(id.slice(0, -QUERY.length), 'utf8'))}`
  },
}
