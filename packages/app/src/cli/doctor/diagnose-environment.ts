// Findings of the doctor on optional parts of the machine: browser, terminals, environment of the project, image
// libraries, sandbox, search engines, database. A missing browser or sandbox is a failure only if the settings require
// it. Nothing is started, unpacked or created except a sandbox. Called by runDoctor in cli/commands.ts. Reads files and
// the database; sends no request to a search engine.

import { Failure } from '@scorpiox/mcp/errors'
import { findBrowser } from '@scorpiox/server/browser/find-browser'
import type { Config } from '@scorpiox/server/config/load-config'
import type { Settings } from '@scorpiox/server/config/options'
import { listWritableRoots } from '@scorpiox/server/config/writable-roots'
import { findBunImage, SHARP_INSTALL_HINT } from '@scorpiox/server/features/images/lazy'
import { findDirenv, findEnvrc, findPrograms, findTerminalPrograms } from '@scorpiox/server/features/shell/lazy'
import { readSearchHealth } from '@scorpiox/server/features/search/lazy'
import { formatInstallCommand } from '@scorpiox/server/process/install-command'
import type { LimitMechanism } from '@scorpiox/server/sandbox/resource-limits'
import type { SandboxReport } from '@scorpiox/server/sandbox/sandbox'
import type { Database } from '@scorpiox/server/storage/database'
import type { DatabaseLocation } from '@scorpiox/server/storage/open-database'
import type { Finding } from './doctor.js'

const BUNDLED_CHROMIUM = new Failure('the Chromium installed by npm; it is unpacked on first use')

export async function diagnoseBrowser(config: Config): Promise<Finding> {
  const { settings, childEnv: env } = config
  const { BROWSER_PATH: browserPath, SANDBOX: sandbox } = settings
  if (browserPath === 'off')
    return { name: 'browser', ok: true, detail: 'off; pages that need JavaScript are not rendered' }
  try {
    const writableRoots = listWritableRoots(config)
    const isSandboxOff = sandbox === 'off'
    const detail = await findBrowser({ browserPath, env, writableRoots, isSandboxOff, unpackIn: refuseToUnpack })
    return { name: 'browser', ok: true, detail }
  } catch (error) {
    if (error === BUNDLED_CHROMIUM) return { name: 'browser', ok: true, detail: BUNDLED_CHROMIUM.message }
    if (!(error instanceof Failure)) throw error
    return {
      name: 'browser',
      ok: browserPath === '',
      detail: 'none; pages that need JavaScript are not rendered',
      fix: browserPath === '' ? formatInstallCommand('chromium') : error.message,
    }
  }
}

/** A missing terminal is no failure: commands run without it. */
export async function diagnoseTerminals(config: Config): Promise<Finding> {
  const name = 'terminals'
  if (process.platform === 'darwin') return diagnoseTerminalMaker(name)
  const { script, stty } = findTerminalPrograms(config, config.childEnv)
  if (script !== undefined && stty !== undefined)
    return { name, ok: true, detail: `${script}, ${stty}; screens are rendered by @xterm/headless` }
  const isLinux = process.platform === 'linux'
  return {
    name,
    ok: true,
    detail: `none${isLinux ? '' : ' on this system'}; BackgroundBash works without tty`,
    ...(isLinux && { fix: formatInstallCommand(script === undefined ? 'util-linux' : 'coreutils') }),
  }
}

/** What commands get of the environment of the project (SHELL_ENV). Whether direnv loads it, only direnv knows. */
export function diagnoseProjectEnvironment(config: Config): readonly Finding[] {
  const name = 'environment'
  const { SHELL_ENV: kind } = config.settings
  if (kind === 'off') return []
  if (kind === 'direnv') return [{ name, ...describeDirenv(findEnvrc(config.cwd), findDirenv(config)) }]
  const found = findPrograms({ config, isSandboxed: config.settings.SANDBOX !== 'off' })
  const problems = found.flatMap(({ problem }) => problem ?? [])
  const programs = found.flatMap(({ program }) => program ?? [])
  const detail =
    found.length === 0 ? 'no .venv and no .nvmrc in the project' : programs.join(', ') || 'nothing is loaded'
  return [{ name, ok: problems.length === 0, detail, ...(problems.length > 0 && { fix: `${problems.join('; ')}.` }) }]
}

function describeDirenv(file: string | undefined, direnv: string | undefined): Omit<Finding, 'name'> {
  if (direnv === undefined)
    return { ok: false, detail: 'SHELL_ENV=direnv, and direnv is not installed', fix: formatInstallCommand('direnv') }
  return { ok: true, detail: `${file === undefined ? 'no .envrc' : `${file}, if it is allowed`}; ${direnv}` }
}

/** Whether commands can ask the user for passwords, see docs/passwords.md. */
export function diagnosePasswords({ settings }: Config): Finding {
  const name = 'passwords'
  if (process.platform !== 'linux') return { name, ok: true, detail: 'commands cannot ask for them on this system' }
  if (settings.JOBS_OUTLIVE_SERVER)
    return { name, ok: true, detail: 'commands cannot ask for them, because JOBS_OUTLIVE_SERVER is on' }
  return { name, ok: true, detail: 'commands can ask for them while the console or the inbox is open' }
}

async function diagnoseTerminalMaker(name: string): Promise<Finding> {
  const { describeTerminalMaker } = await import('@scorpiox/server/process/terminal-process')
  const maker = await describeTerminalMaker()
  if (maker !== undefined) return { name, ok: true, detail: `${maker}; screens are rendered by @xterm/headless` }
  return {
    name,
    ok: true,
    detail: 'none; BackgroundBash works without tty',
    fix: 'npm install @lydell/node-pty beside scorpiox-code',
  }
}

function refuseToUnpack(): never {
  throw BUNDLED_CHROMIUM
}

/** An executable built with Bun cannot load sharp from disk. */
const INSTALL_NPM_PACKAGE = 'Install the npm package instead of this executable: npx scorpiox-code install'

type LoadLibrary = () => Promise<unknown>

const LIBRARIES: ImageLibraries = {
  sharp: () => import('sharp'),
  heic: () => import('libheif-js/wasm-bundle.js'),
  canvas: () => import('@napi-rs/canvas'),
  hasBunImage: findBunImage() !== undefined,
}

interface ImageLibraries {
  readonly sharp: LoadLibrary
  readonly heic: LoadLibrary
  readonly canvas: LoadLibrary
  /** Whether the runtime has an image decoder. */
  readonly hasBunImage?: boolean
}

export async function diagnoseImages({
  sharp,
  heic,
  canvas,
  hasBunImage,
}: ImageLibraries = LIBRARIES): Promise<Finding> {
  const hasHeic = await canLoad(heic)
  const hasCanvas = await canLoad(canvas)
  const hasSharp = await canLoad(sharp)
  if (!hasSharp && hasBunImage) {
    const detail = 'PNG, JPEG, GIF (first frame) and WebP, decoded by Bun; no AVIF, TIFF, SVG, HEIC or PDF pages'
    return { name: 'images', ok: true, detail, fix: INSTALL_NPM_PACKAGE }
  }
  if (!hasSharp) {
    const detail = 'sharp cannot be loaded: only small images, unchanged and without cropping'
    return {
      name: 'images',
      ok: false,
      detail,
      fix: `Large images and other formats are refused; ${SHARP_INSTALL_HINT}.`,
    }
  }
  const missing = [...(hasHeic ? [] : ['libheif-js']), ...(hasCanvas ? [] : ['@napi-rs/canvas'])]
  const optionalFormats = [hasHeic ? 'HEIC' : 'no HEIC', hasCanvas ? 'PDF pages' : 'no PDF pages']
  return {
    name: 'images',
    ok: true,
    detail: `PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, ${optionalFormats.join(', ')}`,
    // They are resolved from the directory of the program, so they must be installed together with it.
    ...(missing.length > 0 && { fix: `npm install -g ${missing.join(' ')} scorpiox-code && scorpiox-code install` }),
  }
}

async function canLoad(load: LoadLibrary): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    return false
  }
}

type SandboxSettings = Pick<Settings, 'SANDBOX' | 'SANDBOX_PIDS' | 'SANDBOX_MEMORY_MB'>

/** `open` opens the sandbox at the level of the settings, runs its self-test and closes it. */
export async function diagnoseSandbox(
  settings: SandboxSettings,
  open: () => Promise<SandboxReport>,
): Promise<readonly Finding[]> {
  if (settings.SANDBOX === 'off')
    return [{ name: 'sandbox', ok: true, detail: 'off; commands can do everything that you can do' }]
  try {
    return describeSandbox(settings, await open())
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isOptional = settings.SANDBOX === 'auto'
    const detail = isOptional
      ? 'none; commands can do everything that you can do, and plan mode refuses them'
      : `${settings.SANDBOX} is not available; commands are refused`
    return [{ name: 'sandbox', ok: isOptional, detail, fix: error.message }]
  }
}

function describeSandbox(settings: SandboxSettings, report: SandboxReport): readonly Finding[] {
  const { levels, program, escapesTried, tookMs, pids, memory } = report
  const levelText = settings.SANDBOX === 'auto' ? `${levels.join(', ')} over HTTP, off over stdio` : levels.join(', ')
  const perProcess = memory === 'rlimit' ? ' for each process' : ''
  return [
    {
      name: 'sandbox',
      ok: true,
      detail: `${levelText}; ${program}, ${escapesTried} escape attempts blocked in ${tookMs} ms`,
    },
    program === 'sandbox-exec'
      ? MAC_LIMITS
      : {
          name: 'limits',
          ok: pids !== 'nothing' || settings.SANDBOX === 'auto',
          detail: `${settings.SANDBOX_PIDS} processes (${describeLimit(pids)}), ${settings.SANDBOX_MEMORY_MB} MB${perProcess} (${describeLimit(memory)})`,
          ...(pids === 'nothing' && { fix: NO_PROCESS_LIMIT }),
        },
  ]
}

const MAC_LIMITS: Finding = {
  name: 'limits',
  ok: true,
  detail: 'the sandbox of macOS limits neither the number of processes nor their memory',
}

function describeLimit(limitedBy: LimitMechanism): string {
  return limitedBy === 'nothing' ? 'not enforced' : `by ${limitedBy}`
}

const NO_PROCESS_LIMIT =
  'The number of processes is not limited: for root only a cgroup can limit it, and none can be created here. ' +
  'Run the server as an ordinary user, or where it can write to its cgroup (systemd: Delegate=yes).'

/** The search engines in use and those in a cooldown. Sends no request. */
export function diagnoseSearch(settings: Settings): Finding {
  const { works, note } = readSearchHealth(settings)
  if (!works) return { name: 'search', ok: false, detail: 'no search engine is available', fix: note ?? '' }
  return {
    name: 'search',
    ok: true,
    detail:
      note ?? 'no engine is in a cooldown, and none was queried; to query each of them: scorpiox-code search --doctor',
  }
}

/** Whether the database of tasks and plans can be read, and searched by an index. */
export async function diagnoseState(
  location: () => DatabaseLocation,
  open: (location: DatabaseLocation) => Promise<Database>,
): Promise<Finding> {
  try {
    const database = await open(location())
    try {
      await database.read(() => Promise.resolve())
      const problem = await database.textIndex?.findProblem()
      return { name: 'state', ok: true, detail: database.name, ...(problem !== undefined && { fix: problem }) }
    } finally {
      await database.close()
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name: 'state', ok: false, detail: 'tasks and plans cannot be stored', fix: error.message }
  }
}
