// Decides whether a command may run: a rule that denies wins over one that asks, and that over one that allows. Every
// command of a list, pipeline or substitution counts; whatever cannot be determined is asked. Also suggests rules that
// would allow a command. Used by permission-service, which loads it on demand. Pure.

import { parseCommand, type SimpleCommand } from './parse-command.js'
import {
  coversCommand,
  exactRule,
  mayMatchCommand,
  parseRule,
  type PermissionRule,
  type RuleKind,
  type StepBudget,
  textsOf,
} from './permission-rules.js'

export interface Evaluation {
  readonly decision: RuleKind
  /** Why, as a sentence without a full stop. */
  readonly reason: string
  /** The commands and the rule that applies to each. */
  readonly commands: readonly EvaluatedCommand[]
  /** Further rules that allow its commands would allow it. */
  readonly isAllowable: boolean
}

export interface EvaluatedCommand {
  readonly command: SimpleCommand
  readonly decision: RuleKind
  readonly rule: PermissionRule | undefined
  readonly reason: string
}

export interface EvaluationContext {
  readonly rules: readonly PermissionRule[]
  /** Whether the environment of commands has a variable. */
  readonly isExported: (name: string) => boolean
}

/** Of all comparisons with unknown parts: some milliseconds. What takes more is asked. */
const MAX_STEPS = 1_000_000

export function evaluateCommand(command: string, { rules, isExported }: EvaluationContext): Evaluation {
  const { commands: parsed, problems, reservations } = parseCommand(command, isExported)
  const budget = { steps: MAX_STEPS }
  const commands = parsed.map((simple) => evaluateSimple(simple, rules, budget))
  const denied = commands.find(({ decision }) => decision === 'deny')
  if (denied) return { decision: 'deny', reason: denied.reason, commands, isAllowable: false }
  const usesAllowRules = hasAllowRules(rules) && !rules.some(isUnlimited)
  const [problem] = [...problems, ...(usesAllowRules ? reservations : [])]
  if (problem !== undefined) return { decision: 'ask', reason: problem, commands, isAllowable: false }
  const asked = commands.find(({ decision }) => decision === 'ask')
  if (!asked)
    return { decision: 'allow', reason: commands[0]?.reason ?? 'it runs no program', commands, isAllowable: false }
  const isAllowable = commands.every((one) => one.decision === 'allow' || lacksRuleOnly(one))
  return { decision: 'ask', reason: asked.reason, commands, isAllowable }
}

function lacksRuleOnly({ rule, command: { reservations } }: EvaluatedCommand): boolean {
  return rule === undefined && reservations.length === 0
}

function evaluateSimple(
  command: SimpleCommand,
  rules: readonly PermissionRule[],
  budget: StepBudget,
): EvaluatedCommand {
  const { source, reservations, isTransparent } = command
  const result = (decision: RuleKind, reason: string, rule?: PermissionRule): EvaluatedCommand => ({
    command,
    decision,
    rule,
    reason,
  })
  const texts = textsOf(command)
  const isKnown = command.words.every((word) => !word.includes('\0'))
  const covers = (rule: PermissionRule): boolean => coversCommand(rule, texts)
  const mayMatch = (rule: PermissionRule): boolean => mayMatchCommand(rule, texts, budget)
  const matching = (kind: RuleKind, isMatch: (rule: PermissionRule) => boolean): PermissionRule | undefined =>
    rules.find((rule) => rule.kind === kind && isMatch(rule))
  // The program may be named by its path.
  const denying = matching('deny', covers) ?? (isKnown ? matching('deny', mayMatch) : undefined)
  if (denying) return result('deny', `${denying.text} denies \`${source}\``, denying)
  const asking = matching('deny', mayMatch) ?? matching('ask', mayMatch)
  if (asking) return result('ask', `${asking.text} may apply to \`${source}\``, asking)
  if (!hasAllowRules(rules)) return result('allow', 'no rule applies')
  const unlimited = rules.find(isUnlimited)
  if (unlimited) return result('allow', `${unlimited.text} allows every command`, unlimited)
  if (isTransparent) return result('allow', 'the command that it starts decides')
  const allowing = matching('allow', covers)
  if (!allowing) return result('ask', `no rule allows \`${source}\``)
  const [reservation] = reservations
  if (reservation !== undefined) return result('ask', `${reservation}: \`${source}\``, allowing)
  return result('allow', `${allowing.text} allows \`${source}\``, allowing)
}

/**
 * Rules that allow exactly these commands from now on. Empty if rules cannot allow them: a rule that denies or asks
 * applies, a part is known only when it runs, or a command does more than its words say.
 */
export function suggestRules({ decision, commands, isAllowable }: Evaluation): readonly string[] {
  if (decision !== 'ask' || !isAllowable) return []
  const missing = commands.filter((one) => one.decision === 'ask')
  const rules = missing.map(({ command }) => ({ command, text: exactRule(command) }))
  const areExact = rules.every(({ command, text }) => {
    const rule = parseRule(text, 'allow', '')
    return !/[*\0]/.test(text) && typeof rule === 'object' && coversCommand(rule, textsOf(command))
  })
  return areExact ? [...new Set(rules.map(({ text }) => text))] : []
}

function hasAllowRules(rules: readonly PermissionRule[]): boolean {
  return rules.some(({ kind }) => kind === 'allow')
}

function isUnlimited({ kind, pattern }: PermissionRule): boolean {
  return kind === 'allow' && pattern === '*'
}
