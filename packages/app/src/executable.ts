// The entry point of the single executable. It runs a worker process if the first argument names the worker's file, and
// the program otherwise.

import { dirname, join } from 'node:path'

import { findExecutableEntry } from '@scorpiox/server/process/program-files'

const embedded = (file: string): string => join(dirname(findExecutableEntry() ?? ''), file)
const IMAGE_WORKER = embedded('image-worker.js')
const PDF_WORKER = embedded('pdf-worker.js')

if (process.argv[2] === IMAGE_WORKER) void import(IMAGE_WORKER)
else if (process.argv[2] === PDF_WORKER) void import(PDF_WORKER)
else void import('./main.js')
