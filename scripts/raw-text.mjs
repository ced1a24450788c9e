// Bundler plugin for imports of scripts as text, such as './shell-supervisor.sh?raw', which the test runner supports
// natively.

import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const QUERY = '?raw'
const isRaw = (id) => /\.(sh|cjs|base64)\?raw$/.test(id)

export const rawText = {
  name: 'raw-text',
  resolveId: (id, importer) => (isRaw(id) ? resolve(dirname(importer), id) : null),
  load: async (id) => {
    if (!isRaw(id)) return null
    return `export default ${JSON.stringify(await readFile(id.slice(0, -QUERY.length), 'utf8'))}`
  },
}
