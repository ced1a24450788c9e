// The entry point of the single executable. It runs the image worker if the first argument names the worker's file,
// and the program otherwise.

import { dirname, join } from 'node:path'

import { findExecutableEntry } from '@scorpiox/server/process/program-files'

const IMAGE_WORKER = join(dirname(findExecutableEntry() ?? ''), 'image-worker.js')

if (process.argv[2] === IMAGE_WORKER) void import(IMAGE_WORKER)
else void import('./main.js')
