// A resource: the forms of all verbs.
import { defineResource } from '@scorpiox/mcp'
import { table } from './verbs.mjs'

export const verbTable = defineResource({
  uri: 'grammar://verbs',
  name: 'verbs',
  description: 'All forms of all verbs.',
  mimeType: 'application/json',
  read: () => JSON.stringify(table),
})
