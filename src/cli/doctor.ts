// Says what works on this machine, what does not, and what to do about each.

import { accessSync, constants } from 'node:fs'

import type { Config } from '../config/load.js'
import { shellWord } from '../lib/shell-word.js'
import { installCommand } from '../platform/package-manager.js'
import { askProgram } from '../platform/process.js'
import type { Finding } from './finding.js'

export interface Surroundings {
  readonly config: Config
  readonly runtime: string
  readonly tools: readonly string[]
  readonly refused: ReadonlyMap<string, string>
}

export async function examine({ config, runtime, tools, refused }: Surroundings): Promise<readonly Finding[]> {
  return [
    examineRuntime(runtime),
    await examineProgram(config, 'bash', `Bash cannot run commands without it: ${installCommand('bash')}`),
    await examineProgram(config, 'git', `Commands that use git will fail: ${installCommand('git')}`),
    examineDirectory(config.cwd),
    {
      name: 'settings',
      ok: config.warnings.length === 0,
      detail: config.files.length > 0 ? config.files.join(', ') : 'no settings file; defaults and environment',
      ...(config.warnings.length > 0 && {
        fix: [...config.warnings, 'Correct that, and look again: scorpiox-code config'].join('\n'),
      }),
    },
    {
      name: 'tools',
      ok: tools.length > 0,
      detail: [tools.join(', ') || 'none', ...refused.values()].join('; '),
      ...(tools.length === 0 && {
        fix: 'Remove TOOLS=0 and TOOL_…=0 from your settings. What says where they are: scorpiox-code config',
      }),
    },
  ]
}

/** ✗ does not work, ○ works and could be better, ✓ needs nothing. */
export function report(findings: readonly Finding[]): string {
  return findings
    .map(({ name, ok, detail, fix }) => {
      const mark = ok ? (fix === undefined ? '✓' : '○') : '✗'
      return `${mark} ${name}: ${detail}${fix ? `\n  → ${fix.replaceAll('\n', '\n    ')}` : ''}\n`
    })
    .join('')
}

/** With the commands as they can be typed here. */
export function asTyped(finding: Finding, name: string): Finding {
  const typed = (text: string): string => text.replaceAll(/(?<!\S|npx |&& )scorpiox-code(?= [a-z-])/g, () => name)
  const { detail, fix } = finding
  return { ...finding, detail: typed(detail), ...(fix !== undefined && { fix: typed(fix) }) }
}

const NEWER_NODE =
  process.platform === 'win32'
    ? 'winget install OpenJS.NodeJS.LTS'
    : process.platform === 'darwin'
      ? 'brew install node'
      : 'sudo npx n lts'

function examineRuntime(runtime: string): Finding {
  // Others say which Node.js they stand in for.
  const [major = 0, minor = 0] = (/Node\.js v(\d+)\.(\d+)/.exec(runtime) ?? []).slice(1).map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return {
    name: 'runtime',
    ok,
    detail: runtime,
    ...(!ok && { fix: `Node.js 20.19 or newer is needed: ${NEWER_NODE}` }),
  }
}

async function examineProgram(config: Config, program: string, fix: string): Promise<Finding> {
  const answer = await askProgram(program, ['--version'], config.childEnv)
  if (answer === undefined) return { name: program, ok: false, detail: 'not found', fix }
  return { name: program, ok: true, detail: answer.split('\n')[0] ?? '' }
}

function examineDirectory(cwd: string): Finding {
  try {
    accessSync(cwd, constants.R_OK | constants.X_OK)
    return { name: 'directory', ok: true, detail: cwd }
  } catch {
    return {
      name: 'directory',
      ok: false,
      detail: cwd,
      fix: `It does not exist or cannot be entered. Correct --cwd or STARTUP_DIR, or make it: mkdir -p ${shellWord(cwd)}`,
    }
  }
}
