// Starts the grammar example, and contains the texts of the document it comes from.

import { resolve } from 'node:path'

import { type Json, LEGACY, MODERN, modernMeta, startServer, type TestClient } from '../support/client.js'

export const FOLDER = resolve(import.meta.dirname, '../../examples/grammar')

export const VERBS =
  'work play walk talk listen watch study finish start look want like be have do go come see eat write'.split(' ')
export const TENSES = ['infinitive', 'present simple', 'past simple', 'past participle', 'simple future']
export const PERSONS = ['1st singular', '2nd singular', '3rd singular']

export const REVISIONS = [...LEGACY, MODERN]

export function startGrammar(step: 'tools-only' | 'server'): TestClient {
  return startServer({ args: [resolve(FOLDER, `${step}.mjs`)] })
}

/** Calls a tool at a revision; a modern call contains all metadata itself. */
export function calling(client: TestClient, revision: string, name: string) {
  const meta = revision === MODERN ? modernMeta() : {}
  return (args: unknown): Promise<Json> => client.request('tools/call', { name, arguments: args, ...meta })
}
