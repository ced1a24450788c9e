// What other code may use of the feature `documents`: types, what is needed at the start, and functions that load the rest.

export type { DocumentReader } from './document-reader.js'
export { readDocs } from './read-docs-tool.js'

export const loadDocumentReader = () => import('./open-document-reader.js')
