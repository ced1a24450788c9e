// Creates the service behind ReadImage from the settings: path policy, worker script and environment.

import { join, resolve } from 'node:path'

import type { Config } from '../../config/load-config.js'
import { createWorkerEnvironment } from '../../process/worker-processes.js'
import { createSandboxPolicy } from '../../sandbox/sandbox-policy.js'
import { createImageReader, type ImageReader } from './image-reader.js'
import { createImageWorkerPool } from './image-worker-pool.js'
import type { PathPolicy } from './path-policy.js'

/** `isSandboxed`: commands cannot read all files, so ReadImage must not either. */
export function openImageReader(config: Config, isSandboxed: boolean): ImageReader {
  return createImageReader(
    config.cwd,
    createPathPolicy(config, isSandboxed),
    createImageWorkerPool(join(config.partsDir, 'image-worker.js'), createWorkerEnvironment(config.childEnv)),
  )
}

function createPathPolicy(config: Config, isSandboxed: boolean): PathPolicy {
  const { settings, cwd, home } = config
  const configuredRoots = settings.READIMAGE_ROOTS.split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
    .map((path) => (/^~(\/|$)/.test(path) ? join(home, path.slice(1)) : resolve(cwd, path)))
  const hiddenPaths = isSandboxed ? createSandboxPolicy(config, []).hidden : []
  if (configuredRoots.length > 0) return { allowedRoots: configuredRoots, hiddenPaths }
  return { allowedRoots: isSandboxed ? [cwd] : undefined, hiddenPaths }
}
