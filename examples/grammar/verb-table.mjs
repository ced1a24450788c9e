// The whole table, for clients that read resources.
import { defineResource } from 'scorpiox-code'
import { tableText } from './conjugate.mjs'

export const verbTable = defineResource({
  uri: 'grammar://verbs',
  name: 'verbs',
  description: 'All forms of all verbs, as YAML.',
  mimeType: 'application/yaml',
  read: () => tableText,
})
