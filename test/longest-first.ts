// The order of test files within a group: the longest first, so that none of them runs alone at the end. The durations
// of a previous run, by which vitest sorts, do not exist after `npm ci`. Used by vitest.config.ts.

import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those of more than ten seconds beside others, by their duration. */
const LONGEST = [
  'test/page/page.test.ts',
  'test/page/looks.test.ts',
  'test/page/questions.test.ts',
  'test/page/plans.test.ts',
  'test/page/tasks.test.ts',
  'test/page/terminal.test.ts',
  'test/page/many-tabs.test.ts',
  'test/page/home.test.ts',
  'test/dev/page.test.ts',
  'test/machines/faults.test.ts',
  'test/web/browser.test.ts',
  'test/plan/plan-mode.test.ts',
  'test/machines/shared-state.test.ts',
  'test/inbox/questions.test.ts',
  'test/inbox/approvals.test.ts',
  'test/search/web-search.test.ts',
  'test/skills/invoke-skill.test.ts',
  'test/web/fence.test.ts',
  'test/plan/approval-unasked.test.ts',
  'test/web/read-docs-memory.test.ts',
  'test/web/read-docs-browser.test.ts',
  'test/questions/console.test.ts',
  'test/store/sqlite.test.ts',
  'test/machines/routing.test.ts',
  'test/http/one-user.test.ts',
  'test/http/limits.test.ts',
  'test/image/users.test.ts',
  'test/library/mount.test.ts',
  'test/asking.test.ts',
  'test/plan/bounds.test.ts',
  'test/results.test.ts',
  'test/console/several-servers.test.ts',
  'test/console/calls-history.test.ts',
  'test/console/history-hostile.test.ts',
  'test/page/calls.test.ts',
  'test/store/postgres.test.ts',
  'test/plan/approval-console.test.ts',
  'test/plan/approval.test.ts',
  'test/expressions.test.ts',
  'test/console/intrusion.test.ts',
  'test/scripts/calls.test.ts',
  'test/questions/modern.test.ts',
  'test/tasks/task-manager.test.ts',
  'test/tasks/console-edits.test.ts',
  'test/stdio.test.ts',
  'test/process-trees-killed.test.ts',
  'test/shell/jobs.test.ts',
  'test/sandbox/planted.test.ts',
  'test/process-trees.test.ts',
  'test/shell/terminals.test.ts',
  'test/shell/bash.test.ts',
  'test/sandbox/sandboxed-command.test.ts',
  'test/plan/writes.test.ts',
  'test/shell/terminals-restricted.test.ts',
  'test/shell/outlive.test.ts',
  'test/sandbox/escapes.test.ts',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const positions = new Map(LONGEST.map((file, position) => [file, position]))
    const { root } = this.ctx.config
    const positionOf = ({ moduleId }: TestSpecification): number =>
      positions.get(relative(root, moduleId).replaceAll('\\', '/')) ?? LONGEST.length
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || positionOf(a) - positionOf(b))
  }
}
