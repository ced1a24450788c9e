// A tool that looks up one form of a verb.
import { defineTool } from '@scorpiox/mcp'
import { table } from './verbs.mjs'

export const verbs = Object.keys(table)
export const tenses = Object.keys(table.eat)
const persons = ['1st singular', '2nd singular', '3rd singular']

export const formOf = ({ verb, tense, person }) => table[verb][tense][persons.indexOf(person)]

export const conjugate = defineTool({
  name: 'conjugate',
  description: 'Returns one form of an English verb.',
  hints: { readOnly: true, openWorld: false },
  input: {
    type: 'object',
    required: ['verb', 'tense', 'person'],
    properties: { verb: { enum: verbs }, tense: { enum: tenses }, person: { enum: persons } },
  },
  run: formOf,
})
