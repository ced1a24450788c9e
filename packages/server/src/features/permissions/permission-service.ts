// Checks each command against the user's permission rules before it is started, and asks the user where a rule says so.
// Without rules nothing is loaded and every command may run. Used by the tools Bash and BackgroundBash; evaluateWithRules
// also by the command line (policy). Opened by services.ts of the app. Reads rule files, and adds a rule if the user
// chooses that.

import { setTimeout as sleep } from 'node:timers/promises'

import type { CallContext } from '@scorpiox/mcp/definitions/call-context'
import { Failure } from '@scorpiox/mcp/errors'
import type { Config } from '../../config/load-config.js'
import { createKeyedMutex } from '../../async/concurrency.js'
import type { Evaluation } from './evaluate-command.js'
import { fingerprintFiles, listRuleFiles, readRules, rememberRules, type RuleFile, type RuleSet } from './rule-files.js'

export interface PermissionService {
  /** Resolves if the command may run; otherwise throws a Failure that says why. Undefined if there are no rules. */
  authorize(command: string, call: CallContext): Promise<void> | undefined
  /** The same for a command that the user starts: only a rule that denies it is a reason to refuse. */
  authorizeForUser(command: string, user: string): Promise<void> | undefined
  close(): void
}

/** What the user decided about one command. */
export interface ApprovalReply {
  readonly decision: 'once' | 'always' | 'rejected' | 'none'
  /** The user's words, or why there is no decision. */
  readonly comment: string
}

export interface ApprovalQuestion {
  readonly command: string
  readonly reason: string
  /** Rules that would allow it for good; empty if there are none. */
  readonly rules: readonly string[]
}

export interface PermissionServiceDeps {
  readonly config: Config
  readonly askUser: (question: ApprovalQuestion, call: CallContext) => Promise<ApprovalReply>
}

const LONG_CHARS = 1000

export function createPermissionService({ config, askUser }: PermissionServiceDeps): PermissionService {
  const ruleSets = createRuleSetCache(config)
  const inTurn = createKeyedMutex()

  /** A long command takes milliseconds: one of a user at a time, and others get as much time afterwards. */
  function evaluateInTurn(command: string, user: string, ruleSet: RuleSet): Promise<Evaluation> {
    if (command.length < LONG_CHARS) return evaluateWithRules(config, ruleSet, command)
    return inTurn(user, async () => {
      const startedAt = performance.now()
      const evaluation = await evaluateWithRules(config, ruleSet, command)
      await sleep(performance.now() - startedAt)
      return evaluation
    })
  }

  async function check(command: string, call: CallContext, ruleSet: RuleSet): Promise<void> {
    const evaluation = await evaluateInTurn(command, call.user, ruleSet)
    const { decision, reason, commands } = evaluation
    if (decision === 'allow') return
    if (decision === 'deny') {
      throw new Failure(
        `The command was not started: ${reason} (${denyingSource(commands)}). ` +
          'Do not do the same in another way: tell the user what you wanted to do, and that this rule forbids it.',
      )
    }
    const { suggestRules } = await import('./evaluate-command.js')
    const rules = suggestRules(evaluation)
    const reply = await askUser({ command, reason, rules }, call)
    if (reply.decision === 'always') rememberRules(config, call.user, rules)
    if (reply.decision === 'once' || reply.decision === 'always') return
    throw reply.decision === 'rejected' ? rejected(reply.comment) : notAsked(reason, reply.comment)
  }

  async function checkForUser(command: string, user: string, ruleSet: RuleSet): Promise<void> {
    const { decision, reason, commands } = await evaluateInTurn(command, user, ruleSet)
    if (decision === 'deny') throw new Failure(`The command was not started: ${reason} (${denyingSource(commands)}).`)
  }

  return {
    authorize(command, call) {
      const ruleSet = ruleSets.get(call.user)
      return ruleSet && check(command, call, ruleSet)
    },
    authorizeForUser(command, user) {
      const ruleSet = ruleSets.get(user)
      return ruleSet && checkForUser(command, user, ruleSet)
    },
    close() {},
  }
}

function denyingSource(commands: Evaluation['commands']): string {
  return commands.find(({ decision }) => decision === 'deny')?.rule?.source ?? ''
}

/** What the rules decide, without asking. */
export async function evaluateWithRules(config: Config, ruleSet: RuleSet, command: string): Promise<Evaluation> {
  const { evaluateCommand } = await import('./evaluate-command.js')
  const { rules } = ruleSet
  const evaluation = evaluateCommand(command, { rules, isExported: (name) => config.childEnv[name] !== undefined })
  const problem = ruleSet.problem ?? (await describeOtherShell(config))
  if (problem === undefined || evaluation.decision === 'deny') return evaluation
  return { ...evaluation, decision: 'ask', reason: problem, isAllowable: false }
}

/** Rules are evaluated as bash reads a command, which PowerShell does not. */
async function describeOtherShell(config: Config): Promise<string | undefined> {
  const { findTrustedShell } = await import('../../process/trusted-program.js')
  try {
    const { kind, file } = findTrustedShell(config, config.childEnv)
    return kind === 'bash' ? undefined : `${file} runs it, and rules are only evaluated for bash`
  } catch (error) {
    if (error instanceof Failure) return undefined // Without a shell no command runs.
    throw error
  }
}

function rejected(comment: string): Failure {
  const why = comment === '' ? '' : ` The user says: ${comment}`
  return new Failure(`The command was not started: the user rejected it.${why}`)
}

function notAsked(reason: string, problem: string): Failure {
  return new Failure(
    `The command was not started: it needs the user's approval, because ${reason}. ${problem} ` +
      'Tell the user which command you need and why; they can approve it there, or allow it with a rule (docs/permissions.md).',
  )
}

const MAX_CACHED_USERS = 100

interface CachedRules {
  readonly files: readonly RuleFile[]
  /** Of the files when they were read. */
  fingerprint: string
  ruleSet: RuleSet
}

/** The rules of each user, read again when a file has changed. Undefined if there are none. */
function createRuleSetCache(config: Config) {
  const cached = new Map<string, CachedRules>()
  return {
    get(user: string): RuleSet | undefined {
      const entry = cached.get(user) ?? { files: listRuleFiles(config, user), fingerprint: '', ruleSet: NO_RULES }
      if (cached.size >= MAX_CACHED_USERS) cached.clear()
      cached.set(user, entry)
      const fingerprint = fingerprintFiles(entry.files)
      if (fingerprint !== entry.fingerprint) Object.assign(entry, { fingerprint, ruleSet: readRules(entry.files) })
      return entry.fingerprint === '' ? undefined : inUse(entry.ruleSet)
    },
  }
}

const NO_RULES: RuleSet = { rules: [], warnings: [], problem: undefined }

function inUse(ruleSet: RuleSet): RuleSet | undefined {
  return ruleSet.rules.length === 0 && ruleSet.problem === undefined ? undefined : ruleSet
}
