// Builds the page with the stories of the console (packages/console/src/page/stories) and serves it under the content
// security policy of the product. Used by `npm run stories`, the test that photographs the stories, and the pictures of the docs.

import { readFileSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

import { rolldown } from 'rolldown'

import { readPageStyle } from './page-style.mjs'

const PAGE = 'packages/console/src/page'
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Builds into a folder. */
export async function buildStoryPage(folder) {
  const build = await rolldown({
    input: `${PAGE}/stories/story-page.tsx`,
    platform: 'browser',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  })
  await build.write({ dir: folder, format: 'esm', entryFileNames: 'page.js', chunkFileNames: '[name].js' })
  await build.close()
  await writeFile(join(folder, 'page.css'), await readPageStyle())
  await copyFile('node_modules/@xterm/xterm/css/xterm.css', join(folder, 'terminal.css'))
  await writeFile(join(folder, 'index.html'), await readFile(`${PAGE}/index.html`, 'utf8'))
}

/** Returns the address and a function that stops the server. */
export async function serveStoryPage(folder, port = 0) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://127.0.0.1')
    const file = readPageFile(folder, pathname === '/' ? 'index.html' : pathname.slice(1))
    if (file === undefined) response.writeHead(404).end()
    else response.writeHead(200, { ...file.headers, 'content-security-policy': POLICY }).end(file.content)
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() }
}

function readPageFile(folder, name) {
  const type = TYPES[extname(name)]
  if (type === undefined || name.includes('/')) return undefined
  try {
    return { content: readFileSync(join(folder, name)), headers: { 'content-type': `${type}; charset=utf-8` } }
  } catch {
    return undefined
  }
}
