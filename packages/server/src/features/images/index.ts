// What other code may use of the feature `images`: types, what is needed at the start, and functions that load the rest.

export type { ImageReader } from './image-reader.js'
export { readImage } from './read-image-tool.js'

export const loadImageReader = () => import('./open-image-reader.js')
