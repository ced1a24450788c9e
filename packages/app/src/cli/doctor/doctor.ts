// `scorpiox-code doctor`: the basic findings (runtime, programs, directory, settings, tools) and the text of all
// findings. Also the greeting of the program when it is started on a terminal without a command. Called by
// cli/commands.ts. Runs programs to read their versions.

import { accessSync, constants } from 'node:fs'

import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '@scorpiox/server/config/load-config'
import { listWritableRoots } from '@scorpiox/server/config/writable-roots'
import { formatInstallCommand } from '@scorpiox/server/process/install-command'
import { readProgramOutput } from '@scorpiox/server/process/run-program'
import { quoteShellWordIfNeeded } from '@scorpiox/server/process/shell-quote'
import { findTrustedProgram, findTrustedShell } from '@scorpiox/server/process/trusted-program'
import { wrapText } from '@scorpiox/server/terminal/text-layout'
import { VERSION } from '@scorpiox/server/config/version'
import { formatStdioGuide, type LaunchCommand } from '../../program-info.js'

/** One result of the doctor. */
export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do; absent if nothing is needed. */
  readonly fix?: string
}

export interface DoctorDeps {
  readonly config: Config
  readonly runtime: string
  readonly tools: readonly string[]
  readonly refused: ReadonlyMap<string, string>
}

export async function diagnoseBasics({ config, runtime, tools, refused }: DoctorDeps): Promise<readonly Finding[]> {
  return [
    diagnoseRuntime(runtime),
    await diagnoseShell(config),
    await diagnoseProgram(config, 'git', `Commands that use git will fail: ${formatInstallCommand('git')}`),
    diagnoseDirectory(config.cwd),
    {
      name: 'settings',
      ok: config.warnings.length === 0,
      detail: config.files.length > 0 ? config.files.join(', ') : 'no settings file; defaults and environment',
      ...(config.warnings.length > 0 && {
        fix: [...config.warnings, 'Correct the settings, then check them: scorpiox-code config'].join('\n'),
      }),
    },
    {
      name: 'tools',
      ok: tools.length > 0,
      detail: [tools.join(', ') || 'none', ...refused.values()].join('; '),
      ...(tools.length === 0 && {
        fix: 'Remove TOOLS=0 and TOOL_…=0 from your settings. To see where they are set: scorpiox-code config',
      }),
    },
  ]
}

/** ✗ does not work, ○ works and has a suggestion, ✓ works. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .map(({ name, ok, detail, fix }) => {
      const symbol = ok ? (fix === undefined ? '✓' : '○') : '✗'
      return `${symbol} ${name}: ${detail}${fix ? `\n  → ${fix.replaceAll('\n', '\n    ')}` : ''}\n`
    })
    .join('')
}

/** Replaces `scorpiox-code` in commands by what starts this program here. */
export function withTypedCommand(finding: Finding, name: string): Finding {
  const replaceName = (text: string): string => text.replaceAll(/(?<!\S|npx |&& )scorpiox-code(?= [a-z-])/g, () => name)
  const { detail, fix } = finding
  return { ...finding, detail: replaceName(detail), ...(fix !== undefined && { fix: replaceName(fix) }) }
}

const NODE_INSTALL_COMMAND =
  process.platform === 'win32'
    ? 'winget install OpenJS.NodeJS.LTS'
    : process.platform === 'darwin'
      ? 'brew install node'
      : 'sudo npx n lts'

function diagnoseRuntime(runtime: string): Finding {
  // Bun reports the version of Node.js that it is compatible with.
  const [major = 0, minor = 0] = (/Node\.js v(\d+)\.(\d+)/.exec(runtime) ?? []).slice(1).map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return {
    name: 'runtime',
    ok,
    detail: runtime,
    ...(!ok && { fix: `Node.js 20.19 or newer is needed: ${NODE_INSTALL_COMMAND}` }),
  }
}

/** The shell that Bash uses, which need not be the first one of PATH. */
async function diagnoseShell(config: Config): Promise<Finding> {
  try {
    const { file, kind } = findTrustedShell(config, config.childEnv)
    const args =
      kind === 'bash' ? ['--version'] : ['-NoLogo', '-NoProfile', '-Command', '$PSVersionTable.PSVersion.ToString()']
    const version = (await readProgramOutput(file, args, config.childEnv))?.split('\n')[0]
    const detail = version === undefined || version === '' ? `${file} (version unknown)` : `${version} at ${file}`
    if (kind === 'bash') return { name: 'bash', ok: true, detail }
    return {
      name: 'bash',
      ok: true,
      detail: `not found; commands run in ${detail}`,
      fix: `To run bash commands: winget install Git.Git`,
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { name: 'bash', ok: false, detail: 'commands cannot run', fix: error.message }
  }
}

async function diagnoseProgram(config: Config, program: string, fix: string): Promise<Finding> {
  const { childEnv } = config
  // On Windows programs have various endings, and there is no sandbox.
  const isWindows = process.platform === 'win32'
  const file = isWindows ? program : findTrustedProgram(program, childEnv, listWritableRoots(config))
  const output = file === undefined ? undefined : await readProgramOutput(file, ['--version'], childEnv)
  if (output === undefined) return { name: program, ok: false, detail: 'not found', fix }
  return { name: program, ok: true, detail: output.split('\n')[0] ?? '' }
}

function diagnoseDirectory(cwd: string): Finding {
  try {
    accessSync(cwd, constants.R_OK | constants.X_OK)
    return { name: 'directory', ok: true, detail: cwd }
  } catch {
    return {
      name: 'directory',
      ok: false,
      detail: cwd,
      fix: `It does not exist or is not accessible. Correct --cwd or STARTUP_DIR, or create it: ${process.platform === 'win32' ? 'mkdir' : 'mkdir -p'} ${quoteShellWordIfNeeded(cwd)}`,
    }
  }
}

/** What the program is, how to connect it, and what works on this machine. */
export function formatGreeting(
  launch: LaunchCommand,
  findings: readonly Finding[],
  name: string,
  columns?: number,
): string {
  const prose = (text: string): string => wrapText(`${text}\n`, columns)
  return [
    prose(`scorpiox-code ${VERSION}`),
    prose(
      'An MCP server: it lets an AI client run commands on this machine. The client starts it. The first command below ' +
        'connects all your clients; the others connect one client each:\n',
    ),
    formatStdioGuide(launch),
    prose('\nOn this machine:'),
    wrapText(formatFindings(findings.map((finding) => withTypedCommand(finding, name))), columns),
    prose(`\nMore: ${name} --help`),
  ].join('')
}
