// `scorpiox-code policy`: lists the permission rules for commands, and explains what they decide about a command.
// Called by cli/commands.ts. Reads the rule files; runs nothing.

import { getOsUser } from '@scorpiox/mcp/os'
import type { Config } from '@scorpiox/server/config/load-config'
import {
  type Evaluation,
  loadPermissionService,
  loadRuleFiles,
  type RuleFile,
  type RuleSet,
} from '@scorpiox/server/features/permissions/index'
import { UsageError } from '@scorpiox/server/terminal/terminal'
import { formatTable } from '@scorpiox/server/terminal/text-layout'

const USAGE = "policy needs one of: check '<command>', list"
/** Exit codes of `check`, so that scripts can use it. */
const EXIT_CODES = { allow: 0, deny: 1, ask: 3 } as const

interface PolicyOutput {
  readonly text: string
  readonly exitCode: number
}

export async function runPolicyCommand(
  config: Config,
  [verb, command, ...extra]: readonly string[],
  asJson: boolean,
): Promise<PolicyOutput> {
  const [{ evaluateWithRules }, { listRuleFiles, readRules }] = await Promise.all([
    loadPermissionService(),
    loadRuleFiles(),
  ])
  const files = listRuleFiles(config, getOsUser())
  const ruleSet = readRules(files)
  if (verb === 'check' && command !== undefined && extra.length === 0) {
    const evaluation = await evaluateWithRules(config, ruleSet, command)
    const text = asJson ? formatJson(toData(evaluation)) : formatEvaluation(evaluation)
    return { text, exitCode: EXIT_CODES[evaluation.decision] }
  }
  if (verb !== 'list' || command !== undefined) throw new UsageError(USAGE)
  const text = asJson ? formatJson({ ...ruleSet, files: files.map(({ path }) => path) }) : formatRules(ruleSet, files)
  return { text, exitCode: 0 }
}

function formatRules({ rules, warnings, problem }: RuleSet, files: readonly RuleFile[]): string {
  const table = rules.map(({ kind, text, source }) => [kind, text, source])
  const notes = [
    ...(problem === undefined ? [] : [`! ${problem}: every command requires approval`]),
    ...warnings.map((one) => `! ${one}`),
  ]
  const none = 'No rules: every command is allowed.\n'
  const read = files
    .map(({ path, mayAllow }) => `  ${path}${mayAllow ? '' : ' (its allow rules are ignored)'}\n`)
    .join('')
  return `${rules.length === 0 ? none : formatTable(table)}${notes.map((note) => `${note}\n`).join('')}Rules are read from:\n${read}`
}

function formatEvaluation({ decision, reason, commands }: Evaluation): string {
  const rows = commands.map(({ command, decision: each, rule, reason: why }) => [
    `  ${each}`,
    oneLine(command.source),
    rule === undefined ? why : `${rule.text} in ${rule.source}`,
  ])
  return `${decision}: ${reason}\n${formatTable(rows)}`
}

const MAX_SHOWN = 60

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN - 1)}…`
}

function toData({ decision, reason, commands }: Evaluation) {
  return {
    decision,
    reason,
    commands: commands.map(({ command, rule, ...one }) => ({
      command: command.source,
      decision: one.decision,
      reason: one.reason,
      rule: rule?.text,
      source: rule?.source,
    })),
  }
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
