// Finds variables of the server's environment that make its runtime load a file which commands can write: code,
// libraries, settings of OpenSSL, certificates. They take effect at the next start, before any code of this server
// runs. Used by check-roots. Reads the file system only.

import { isAbsolute, resolve } from 'node:path'

import type { WritableRoots } from '../config/writable-roots.js'
import { MAC_LIBRARY_VARIABLES } from '../process/mac-library-variables.js'

export interface RuntimeFile {
  readonly variable: string
  /** As the variable has it, or what it means. */
  readonly text: string
}

/** The first one, or undefined. `cwd` is the folder that the server was started in. */
export function findWritableRuntimeFile(
  env: NodeJS.ProcessEnv,
  writableRoots: WritableRoots,
  cwd: string,
): RuntimeFile | undefined {
  const isWritable = (path: string): boolean => writableRoots.contains(resolve(cwd, path))
  for (const [variable, list] of Object.entries(FILE_VARIABLES)) {
    const value = env[variable] ?? ''
    const path = value === '' ? undefined : list(value).find(isWritable)
    if (path !== undefined) return { variable, text: path === '' ? 'its working directory' : path }
  }
  for (const variable of ['NODE_OPTIONS', 'BUN_OPTIONS']) {
    const text = findLoadedFile(env[variable] ?? '', isWritable)
    if (text !== undefined) return { variable, text }
  }
  return undefined
}

const one = (value: string): readonly string[] => [value]
const byColon = (value: string): readonly string[] => value.split(':')
/** An empty entry is the current folder. */
const libraries = (value: string): readonly string[] => value.split(/[:;]/)

const FILE_VARIABLES: Readonly<Record<string, (value: string) => readonly string[]>> = {
  GCONV_PATH: byColon,
  LD_AUDIT: byColon,
  LD_LIBRARY_PATH: libraries,
  // Names without a slash are searched in the folders of the system and of LD_LIBRARY_PATH.
  LD_PRELOAD: (value) => value.split(/[:\s]+/).filter((entry) => entry.includes('/')),
  NODE_EXTRA_CA_CERTS: one,
  NODE_ICU_DATA: one,
  NODE_PATH: byColon,
  OPENSSL_CONF: one,
  OPENSSL_ENGINES: one,
  OPENSSL_MODULES: one,
  SSL_CERT_DIR: byColon,
  SSL_CERT_FILE: one,
  ...Object.fromEntries(MAC_LIBRARY_VARIABLES.map((name) => [name, libraries])),
}

const MODULE_OPTIONS = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '--preload'])
const FILE_OPTIONS = new Set(
  (
    '-c --config --env-file --env-file-if-exists --experimental-config-file --icu-data-dir --openssl-config ' +
    '--snapshot-blob --tsconfig-override --cwd'
  ).split(' '),
)

function findLoadedFile(options: string, isWritable: (path: string) => boolean): string | undefined {
  const words = options.split(/\s+/).map((word) => word.replaceAll(/["']/g, ''))
  return words.find((word, at) => {
    const [option = '', ...rest] = word.split('=')
    const value = rest.length > 0 ? rest.join('=') : (words[at + 1] ?? '')
    if (MODULE_OPTIONS.has(option)) return loadsModule(value, isWritable)
    if (option === '--experimental-default-config-file') return isWritable('.')
    return FILE_OPTIONS.has(option) ? isWritable(value) : namesFile(word) && isWritable(word.replace(/^[^/.]*/, ''))
  })
}

function loadsModule(name: string, isWritable: (path: string) => boolean): boolean {
  if (/^(?:node|data):/.test(name)) return false
  const path = name.replace(/^file:\/\//, '')
  // Packages are searched in the folder that the server is started in, and those above it.
  return isWritable(isAbsolute(path) || /^\.{1,2}\//.test(path) ? path : '.')
}

/** Options that are not known here may load a file, too. */
function namesFile(word: string): boolean {
  return /^(?:[^/.]*=)?\.{0,2}\//.test(word)
}
