// Entry of the image worker process, which decodes untrusted images.

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { runBoundedWorker } from '../../../process/bounded-worker.js'
import type { DecodeRequest, ImageWorkerReply } from '../image-types.js'
import { decodeBudgetFor } from '../limits.js'
import { processImage } from './process-image.js'

runBoundedWorker({
  budgetFor: (request) => decodeBudgetFor(isDecodeRequest(request) ? request.format : 'SVG'),
  async handle(request): Promise<ImageWorkerReply> {
    if (!isDecodeRequest(request)) return { failure: 'could not be decoded (invalid request)' }
    return processImage(request).catch((error: unknown) => ({
      failure: `could not be decoded (${errorMessage(error)})`,
    }))
  },
})

function isDecodeRequest(value: unknown): value is DecodeRequest {
  return isJsonObject(value) && typeof value.path === 'string'
}
