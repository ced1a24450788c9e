// Entry of the process that reads PDFs. A few kilobytes of a PDF can be decompressed to gigabytes, and those buffers do
// not count towards the memory limit of a thread. Started by extractor.ts as pdf-worker.js. Receives and sends messages
// (bounded-worker.ts); no other I/O.

import { Console } from 'node:console'
import { Writable } from 'node:stream'

import { errorMessage, Failure } from '@scorpiox/mcp/errors'
import { runBoundedWorker } from '../../../../process/bounded-worker.js'
import { isExtractRequest, PDF_BUDGET } from '../extract-types.js'
import { readPdf } from './read-pdf.js'

// Libraries print warnings on pages; they are discarded.
globalThis.console = new Console(new Writable({ write: (_chunk, _encoding, written) => written() }))

runBoundedWorker({
  budgetFor: () => PDF_BUDGET,
  async handle(request) {
    if (!isExtractRequest(request)) throw new Error('The PDF worker received an invalid request')
    try {
      return await readPdf(request)
    } catch (error) {
      // Only plain values are sent to the other process.
      throw error instanceof Failure ? { failure: error.message } : { error: errorMessage(error) }
    }
  },
})
