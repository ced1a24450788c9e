// The way in of the one executable. Node.js starts a part by its file, and so does this: asked in its first argument for
// a part that it has within, it is that part.

import { dirname, join } from 'node:path'

import { executableEntry } from './platform/program.js'

const DARKROOM = join(dirname(executableEntry() ?? ''), 'darkroom.js')

if (process.argv[2] === DARKROOM) void import(DARKROOM)
else void import('./main.js')
