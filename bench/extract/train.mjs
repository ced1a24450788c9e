// Trains the models of the extractor on lessons and prints them as the modules that the program is built with.

import { boost } from './boost.mjs'

const MODELS = [
  { file: 'first-judge.ts', constant: 'FIRST_JUDGE', rows: 'alone', about: 'looks at the page alone' },
  { file: 'second-judge.ts', constant: 'SECOND_JUDGE', rows: 'heard', about: 'has heard the voters' },
]

/** The source of each model module, by its file name. */
export function trainModels(lessons) {
  return Object.fromEntries(MODELS.map((model) => [model.file, sourceOf(model, boost(lessons, model.rows))]))
}

function sourceOf({ constant, about }, trees) {
  const lines = trees.map(
    ({ asks, says }) =>
      `${asks.map(({ feature, border }) => `${feature}>${border}`).join(' ')} : ${says.map((value) => Math.round(value * 100)).join(' ')}`,
  )
  return `// What the judge that ${about} was taught. A tree on each line: the questions it asks (which number of
// a block, above which border), and after the colon what it thinks, in hundredths, for each way to answer them.
// Made by bench/extract/teach.mjs.

export const ${constant} = \`
${lines.join('\n')}
\`
`
}
