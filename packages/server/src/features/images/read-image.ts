// Declaration of ReadImage, which returns an image file, or a region or page of it, to the model.

import { defineToolWith } from '@scorpiox/mcp/definitions/tool'
import { resultData } from '../../result-data.js'
import type { ImageReader } from './image-reader.js'
import type { ReadImageResult } from './read-image-handler.js'

export const readImage = defineToolWith<{ images: ImageReader }>()({
  name: 'ReadImage',
  title: 'Look at an image',
  description: `Read an image file and display it visually
Also SVG, HEIC, PDF. Paths may be relative to the project. Large images come smaller: crop shows detail.`,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
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
      page: { type: 'integer', description: 'Of a PDF, TIFF or animation' },
    },
    required: ['file_path'],
  },

  async run({ file_path: path, crop, page }, { signal }, { images }): Promise<ReadImageResult> {
    const { toReadImageResult, parseCrop } = await import('./read-image-handler.js')
    return toReadImageResult(await images.read({ path, crop: parseCrop(crop), page }, signal), path)
  },

  format: ({ image, text }) => [
    { type: 'image', ...image },
    { type: 'text', text },
  ],

  meta: resultData('format', 'width', 'height', 'x', 'y', 'scale'),
})
