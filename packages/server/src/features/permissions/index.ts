// What other code may use of the feature `permissions`: types, and functions that load the rest. Imported by the tools
// Bash and BackgroundBash, and by services.ts and the `policy` command of the app. No effects of its own.

export type { Evaluation } from './evaluate-command.js'
export type { PermissionService } from './permission-service.js'
export type { RuleFile, RuleSet } from './rule-files.js'

export const loadRuleFiles = () => import('./rule-files.js')
export const loadPermissionService = () => import('./permission-service.js')
export const loadApprovalAsker = () => import('./ask-for-approval.js')
