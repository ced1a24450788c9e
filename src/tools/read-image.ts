// Declaration of ReadImage, which returns an image file, or a region or page of it, to the model.

import type { Images } from '../services/images/images.js'
import type { Shown } from './image-answer.js'
import { resultData } from './result-data.js'
import { toolsOver } from './tool.js'

export const readImage = toolsOver<{ images: Images }>()({
  name: 'ReadImage',
  title: 'Look at an image',
  description: `Read an image file and display it visually
Also SVG, HEIC, PDF. Paths may be relative to the project. Large images come smaller: crop shows detail.`,
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['images'],

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

  async run({ file_path: path, crop, page }, { signal }, { images }): Promise<Shown> {
    const { answerWith, readCrop } = await import('./image-answer.js')
    return answerWith(await images.show({ path, crop: readCrop(crop), page }, signal), path)
  },

  render: ({ image, words }) => [
    { type: 'image', ...image },
    { type: 'text', text: words },
  ],

  meta: resultData('format', 'width', 'height', 'x', 'y', 'scale'),
})
