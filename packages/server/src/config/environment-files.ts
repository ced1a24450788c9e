// Lists the files and folders that SHELL_ENV loads the environment of a project from, and where programs for it are
// installed. The sandbox lets commands read them and keeps commands from changing or creating them. Used by
// sandbox-policy.ts and features/shell/environment. Reads the file system only to find the root of the project.

import { dirname, isAbsolute, join } from 'node:path'

import type { Config } from './load-config.js'
import { findProjectRoot } from './paths.js'

type EnvironmentConfig = Pick<Config, 'settings' | 'cwd' | 'home' | 'childEnv'>

/** In the project, by what is loaded. */
const PROJECT_NAMES = { off: [], direnv: ['.envrc'], venv: ['.venv', '.nvmrc'] } as const

/** What decides what is loaded, also what does not exist yet. */
export function listEnvironmentFiles(config: EnvironmentConfig): readonly string[] {
  const { SHELL_ENV: kind } = config.settings
  const names = PROJECT_NAMES[kind]
  const inProject = listProjectFolders(config.cwd).flatMap((folder) => names.map((name) => join(folder, name)))
  return [...inProject, ...listEnvironmentFolders(config)]
}

/** Outside of the project, what is needed to load it. */
export function listEnvironmentFolders(config: EnvironmentConfig): readonly string[] {
  const { SHELL_ENV: kind } = config.settings
  if (kind === 'direnv') return Object.values(findDirenvFolders(config) ?? {})
  return kind === 'venv' ? listNodeFolders(config).map(({ folder }) => folder) : []
}

/** The working directory and those above it, up to the root of the project. */
export function listProjectFolders(cwd: string): readonly string[] {
  const root = findProjectRoot(cwd)
  const folders = [cwd]
  for (let at = cwd; at !== root && dirname(at) !== at;) folders.push((at = dirname(at)))
  return folders.at(-1) === root ? folders : [cwd]
}

interface DirenvFolders {
  /** A file for each `.envrc` that the user has allowed. */
  readonly allowed: string
  readonly config: string
}

/** Undefined without a home. */
export function findDirenvFolders({
  home,
  childEnv: env,
}: Pick<Config, 'home' | 'childEnv'>): DirenvFolders | undefined {
  if (home === '') return undefined
  return {
    allowed: join(absoluteOr(env.XDG_DATA_HOME, join(home, '.local/share')), 'direnv', 'allow'),
    config: absoluteOr(env.DIRENV_CONFIG, join(absoluteOr(env.XDG_CONFIG_HOME, join(home, '.config')), 'direnv')),
  }
}

export interface NodeFolder {
  /** Contains a folder for each version. */
  readonly folder: string
  /** Its program in the folder of a version. */
  readonly program: string
}

/** Where nvm, fnm and Volta install versions of Node.js. */
export function listNodeFolders(
  { home, childEnv: env }: Pick<Config, 'home' | 'childEnv'>,
  platform: NodeJS.Platform = process.platform,
): readonly NodeFolder[] {
  if (home === '') return []
  if (platform === 'win32') return listWindowsNodeFolders(home, env)
  const data = absoluteOr(env.XDG_DATA_HOME, join(home, '.local/share'))
  const fnmFolders = [env.FNM_DIR, join(data, 'fnm'), join(home, '.fnm'), join(home, 'Library/Application Support/fnm')]
  return [
    { folder: join(absoluteOr(env.NVM_DIR, join(home, '.nvm')), 'versions/node'), program: 'bin/node' },
    ...fnmFolders.flatMap((folder) =>
      folder !== undefined && isAbsolute(folder)
        ? [{ folder: join(folder, 'node-versions'), program: 'installation/bin/node' }]
        : [],
    ),
    { folder: join(absoluteOr(env.VOLTA_HOME, join(home, '.volta')), 'tools/image/node'), program: 'bin/node' },
  ]
}

/** Of nvm-windows, fnm and Volta: their programs are in no folder called bin there. */
function listWindowsNodeFolders(home: string, env: NodeJS.ProcessEnv): readonly NodeFolder[] {
  const roaming = absoluteOr(env.APPDATA, join(home, 'AppData/Roaming'))
  const local = absoluteOr(env.LOCALAPPDATA, join(home, 'AppData/Local'))
  const program = 'node.exe'
  return [
    ...[env.NVM_HOME, join(roaming, 'nvm'), join(local, 'nvm')].flatMap((folder) =>
      folder !== undefined && isAbsolute(folder) ? [{ folder, program }] : [],
    ),
    {
      folder: join(absoluteOr(env.FNM_DIR, join(roaming, 'fnm')), 'node-versions'),
      program: `installation/${program}`,
    },
    { folder: join(absoluteOr(env.VOLTA_HOME, join(local, 'Volta')), 'tools/image/node'), program },
  ]
}

function absoluteOr(path: string | undefined, otherwise: string): string {
  return path !== undefined && isAbsolute(path) ? path : otherwise
}
