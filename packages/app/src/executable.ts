// The entry point of the single executable. It runs a worker process if the first argument names the worker's file, and
// the program otherwise. Built by scripts/binary.mjs. Imports main.ts or the worker.

import { dirname, join } from 'node:path'

import { findExecutableEntry } from '@scorpiox/server/process/program-files'

const folder = dirname(findExecutableEntry() ?? '')
const WORKERS = ['image-worker.js', 'pdf-worker.js', join('parts', 'pattern-worker.js')].map((file) =>
  join(folder, file),
)
const worker = WORKERS.find((file) => file === process.argv[2])

if (worker === undefined) void import('./main.js').then(({ startProgram }) => startProgram([]))
else void import(worker)
