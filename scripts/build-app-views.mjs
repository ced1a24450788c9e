// Builds the views of MCP Apps into dist/apps/: one HTML file each, with its script and style inside, because the frame that
// shows it may load nothing. Used by build.mjs.

import { mkdir, readFile, writeFile } from 'node:fs/promises'

import { rolldown } from 'rolldown'

import { readPageStyle } from './page-style.mjs'

const SOURCE = 'packages/console/src/page/apps'
/** The end of the URI: ui://scorpiox-code/question. */
export const APP_VIEWS = ['question', 'plan', 'job', 'tasks', 'image']
const LICENCE = '/*! Contains Preact, MIT License, Copyright (c) 2015-present Jason Miller */'

export async function buildAppViews({ minifyStyle, onLog }) {
  await mkdir('dist/apps', { recursive: true })
  const style = minifyStyle(`${await readPageStyle()}\n${await readFile(`${SOURCE}/apps.css`, 'utf8')}`)
  for (const name of APP_VIEWS) {
    const script = await bundleView(name, onLog)
    await writeFile(`dist/apps/${name}.html`, formatDocument(name, style, script))
  }
}

async function bundleView(name, onLog) {
  const build = await rolldown({
    input: `${SOURCE}/${name}.tsx`,
    platform: 'browser',
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog,
  })
  const { output } = await build.generate({ format: 'iife', codeSplitting: false, minify: true })
  await build.close()
  // The code stands inside a script element, which any of these would end or change.
  return output[0].code.replaceAll(/<(?=\/script|!--|script)/gi, '\\x3C')
}

function formatDocument(name, style, script) {
  if (/<\/style/i.test(style)) throw new Error('the style would end its element')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>scorpiox-code: ${name}</title>
<style>${style}</style>
</head>
<body>
<main id="app"></main>
<script>${LICENCE}
${script}</script>
</body>
</html>
`
}
