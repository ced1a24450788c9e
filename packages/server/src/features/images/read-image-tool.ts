// Declaration of ReadImage, which returns an image file, or a region or page of it, to the model. Registered in
// tool-list.ts; loads its handler with the first call.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import type { ImageReader } from './image-reader.js'

export const readImage = defineToolWith<{ images: ImageReader }>()({
  name: 'ReadImage',
  title: 'Look at an image',
  description: `Read an image file and display it visually
Also SVG, HEIC, PDF. Paths may be relative. Use crop for detail.`,
  hints: { readOnly: true, destructive: false, openWorld: false },
  ui: { resourceUri: 'ui://scorpiox-code/image' },
  services: ['images'],

  input: {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'The absolute path to the image file' },
      crop: {
        type: 'array',
        items: { type: 'integer' },
        description: 'x, y, width, height in original pixels',
      },
      page: { type: 'integer', description: 'Page of a PDF or TIFF, or frame' },
    },
    required: ['file_path'],
  },

  load: async () => (await import('./read-image-handler.js')).readImageHandler,
})
