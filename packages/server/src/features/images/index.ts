// What other code may use of the feature `images`: types, what is needed at the start, and functions that load the
// rest. Imported by tool-list.ts and by services.ts of the app. No effects of its own.

export type { ImageReader } from './image-reader.js'
export type { ImageWorkerPool } from './image-worker-pool.js'
export { readImage } from './read-image-tool.js'

export const loadImageReader = () => import('./image-reader.js')
