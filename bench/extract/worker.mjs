// One thread of the built extractor, asked one page at a time.

import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const FILE = fileURLToPath(new URL('../../dist/parts/extract-worker.js', import.meta.url))

export function openWorker() {
  const worker = new Worker(FILE, { stdout: true, stderr: true })
  worker.stdout.resume()
  worker.stderr.resume()
  return {
    async read(source) {
      const startedAt = performance.now()
      const message = await new Promise((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.postMessage({ question: { contentType: 'text/html', fragment: '', ...source } })
      })
      return { reading: message.answer, problem: message.problem, ms: performance.now() - startedAt }
    },
    close: () => worker.terminate(),
  }
}
