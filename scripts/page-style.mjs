// The styles of the pages, each as one text: the base that they share, then the page; for the console also its components
// and views, each beside its code. Used by build.mjs, build-app-views.mjs and story-page.mjs.

import { readdir, readFile } from 'node:fs/promises'

const PAGE = 'packages/console/src/page'
const INSPECTOR = 'packages/dev/src/page'

export async function readPageStyle() {
  const parts = []
  for (const folder of ['components', 'views']) {
    const names = (await readdir(`${PAGE}/${folder}`)).filter((name) => name.endsWith('.css')).sort()
    parts.push(...names.map((name) => `${folder}/${name}`))
  }
  return readAll(['page.css', ...parts].map((name) => `${PAGE}/${name}`))
}

export async function readInspectorStyle() {
  return readAll([`${INSPECTOR}/page.css`])
}

async function readAll(files) {
  const texts = await Promise.all([`${INSPECTOR}/base.css`, ...files].map((file) => readFile(file, 'utf8')))
  return texts.join('\n')
}
