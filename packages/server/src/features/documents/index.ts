// What other code may use of the feature `documents`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts and by services.ts of the app. No effects of its own.

export type { DocumentReader } from './document-reader.js'
export { readDocs } from './read-docs-tool.js'

export const loadDocumentReader = () => import('./document-reader.js')
