// The verbs of data/a13.yaml, and the tool that looks them up.
import { readFileSync } from 'node:fs'
import { defineTool } from 'scorpiox-code'
import { parse } from 'yaml'

export const tableText = readFileSync(new URL('data/a13.yaml', import.meta.url), 'utf8')
export const table = parse(tableText)
export const verbs = Object.keys(table)
export const tenses = Object.keys(table.eat)
const persons = ['1st singular', '2nd singular', '3rd singular']

export const formOf = ({ verb, tense, person }) => table[verb][tense][persons.indexOf(person)]

export const conjugate = defineTool({
  name: 'conjugate',
  input: {
    type: 'object',
    required: ['verb', 'tense', 'person'],
    properties: { verb: { enum: verbs }, tense: { enum: tenses }, person: { enum: persons } },
  },
  run: formOf,
})
