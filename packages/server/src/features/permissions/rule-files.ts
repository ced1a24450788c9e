// Reads permission rules from files: the user's, those that the user added for a project, and the project's, which may only
// restrict. While a file cannot be read, every command is asked. rememberRules writes the rules that the user added. Used
// by permission-service and the command line (policy). Reads and writes files synchronously.

import { createHash } from 'node:crypto'
import { readFileSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

import { errorMessage } from '@scorpiox/mcp/errors'
import { isJsonObject } from '@scorpiox/mcp/json/json'
import { replaceFile } from '@scorpiox/mcp/atomic-file'
import type { Config } from '../../config/load-config.js'
import { findProjectRoot, getStateDir } from '../../config/paths.js'
import { ensurePrivateFolder } from '../../storage/private-files.js'
import { parseRule, type PermissionRule, type RuleKind } from './permission-rules.js'

const MAX_FILE_BYTES = 1_000_000
const KINDS: readonly RuleKind[] = ['deny', 'ask', 'allow']

export interface RuleSet {
  readonly rules: readonly PermissionRule[]
  /** Rules that are ignored, and why. */
  readonly warnings: readonly string[]
  /** A file that exists but cannot be used; every command is asked then. */
  readonly problem: string | undefined
}

export interface RuleFile {
  readonly path: string
  /** Only the user's own files may allow commands. */
  readonly mayAllow: boolean
}

/** All files that may have rules for a user, whether they exist or not. */
export function listRuleFiles(config: Config, user: string): readonly RuleFile[] {
  const { settings, home } = config
  const project = findProjectRoot(config.cwd)
  const claude = settings.PERMISSIONS_FROM === 'claude'
  // Without a home directory there may be no state directory.
  const hasState = settings.STATE_DIR !== '' || isAbsolute(home)
  return [
    ...(hasState ? [{ path: join(getStateDir(settings), 'permissions.json'), mayAllow: true }] : []),
    ...(hasState ? [{ path: rememberedRulesPath(config, user), mayAllow: true }] : []),
    { path: join(project, '.scorpiox', 'permissions.json'), mayAllow: false },
    ...(claude && isAbsolute(home) ? [{ path: join(home, '.claude', 'settings.json'), mayAllow: true }] : []),
    ...(claude
      ? ['settings.json', 'settings.local.json'].map((name) => ({
          path: join(project, '.claude', name),
          mayAllow: false,
        }))
      : []),
  ]
}

/** What the user allowed for good in this project. Not in the project, where a command could change it. */
function rememberedRulesPath({ settings, cwd }: Config, user: string): string {
  const scope = createHash('sha256')
    .update(JSON.stringify([findProjectRoot(cwd), user]))
    .digest('hex')
  return join(getStateDir(settings), 'permissions', `${scope.slice(0, 32)}.json`)
}

/** Identifies the state of the files; empty if none exists. Called before each command. */
export function fingerprintFiles(files: readonly RuleFile[]): string {
  let fingerprint = ''
  for (const [at, { path }] of files.entries()) {
    const stat = statOrUndefined(path)
    if (stat?.isFile() === true) fingerprint += `${at} ${stat.ino} ${stat.size} ${stat.mtimeMs};`
  }
  return fingerprint
}

function statOrUndefined(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function readRules(files: readonly RuleFile[]): RuleSet {
  const warnings: string[] = []
  const rules: PermissionRule[] = []
  let problem: string | undefined
  for (const file of files) {
    try {
      for (const { kind, text } of readFile(file.path)) {
        if (kind === 'allow' && !file.mayAllow) continue
        const rule = parseRule(text, kind, file.path)
        if (typeof rule === 'string') warnings.push(`${file.path}: ${rule}`)
        else if (rule !== undefined) rules.push(rule)
      }
    } catch (error) {
      problem ??= `the rules in ${file.path} cannot be read (${errorMessage(error)})`
    }
  }
  return { rules, warnings, problem }
}

function readFile(path: string): readonly { readonly kind: RuleKind; readonly text: string }[] {
  const stat = statOrUndefined(path)
  if (stat?.isFile() !== true) return []
  if (stat.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
  const settings: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const permissions = isJsonObject(settings) ? (settings.permissions ?? {}) : undefined
  if (!isJsonObject(permissions)) throw new Error('expected {"permissions": {"deny": [], "ask": [], "allow": []}}')
  return KINDS.flatMap((kind) => {
    const list = permissions[kind] ?? []
    if (!Array.isArray(list) || !list.every((text) => typeof text === 'string'))
      throw new Error(`permissions.${kind} must be a list of strings`)
    return list.map((text: string) => ({ kind, text }))
  })
}

/** Adds rules that allow commands of a user in this project. */
export function rememberRules(config: Config, user: string, texts: readonly string[]): void {
  const path = rememberedRulesPath(config, user)
  ensurePrivateFolder(join(path, '..'))
  const known = readFile(path).map(({ text }) => text)
  const allow = [...new Set([...known, ...texts])]
  const content = { project: findProjectRoot(config.cwd), user, permissions: { allow } }
  replaceFile(path, `${JSON.stringify(content, null, 2)}\n`, () => true)
}
