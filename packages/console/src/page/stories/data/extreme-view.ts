// More data, and longer, than anybody has, for the stories: text without spaces, in both directions, with markup and
// control characters; and as many items as the page must scroll. Pure.

import type { ApprovalDetails, CallView, ConsoleView, JobView, TaskView } from '../../../view.js'
import type { StoryContext } from '../story.js'
import { HOUR, sampleCalls, sampleSecret, sampleView, SHOP, toTask } from './sample-view.js'

const LONG_WORD = 'averyverylongwordwithoutanyspacesinit'.repeat(8)
export const MIXED_TEXT = `👩🏽‍💻 مرحبا بالعالم <img src=x onerror=alert(1)> \u202e reversed ${LONG_WORD}`

/** As long as the name of a client can be. */
const LONG_CLIENT = MIXED_TEXT.slice(0, 200)

/** Every part of the console, overfull. */
export function extremeView(context: StoryContext): ConsoleView {
  const view = sampleView(context)
  const projects = Array.from({ length: 4 }, (_, index) => `/srv/${LONG_WORD}/${index}`)
  return {
    ...view,
    servers: projects.flatMap((project, index) =>
      view.servers.slice(0, 1).map((server) => ({
        ...server,
        id: index === 0 ? server.id : `s${index}`,
        project,
        clients: Array.from({ length: index * 8 }, (_, number) => ({
          session: `${number}`,
          client: number % 3 === 0 ? LONG_CLIENT : `client-${number} 1.0.${number}`,
          lastCallAt: context.now - number * HOUR,
        })),
      })),
    ),
    secrets: [{ ...sampleSecret(context.now), prompt: MIXED_TEXT, client: LONG_CLIENT }],
    approvals: (['exit', 'reset'] as const).map((action, id) => ({
      project: `/srv/${LONG_WORD}/${id}`,
      id,
      action,
      goal: MIXED_TEXT,
      requestedAt: 0,
      waiting: true,
      client: LONG_CLIENT,
    })),
    questions: view.questions.slice(0, 1).map((asked) => ({
      ...asked,
      client: LONG_CLIENT,
      questions: Array.from({ length: 2 }, () => ({
        text: MIXED_TEXT,
        header: MIXED_TEXT,
        multiple: true,
        choices: Array.from({ length: 12 }, (_, index) => ({
          label: `${index} ${MIXED_TEXT}`,
          description: MIXED_TEXT,
        })),
      })),
    })),
    messages: view.messages.flatMap((message) =>
      Array.from({ length: 5 }, (_, id) => ({ ...message, id, text: MIXED_TEXT, client: LONG_CLIENT })),
    ),
    callbacks: view.callbacks.slice(0, 1).flatMap((callback) =>
      Array.from({ length: 4 }, (_, slot) => ({
        ...callback,
        slot,
        message: MIXED_TEXT,
        client: LONG_CLIENT,
        pattern: LONG_WORD,
        job: 1,
        fireAt: slot % 2 === 0 ? null : context.now + HOUR * slot,
      })),
    ),
    jobs: manyJobs(view.jobs, 20).map((job) => ({
      ...job,
      command: `echo ${MIXED_TEXT}`,
      client: LONG_CLIENT,
      tail: `${MIXED_TEXT}\n`.repeat(20),
    })),
    projects: projects.map((project) => ({
      project,
      plan: { goal: MIXED_TEXT, startedAt: 0, version: 1 },
      tasks: Array.from({ length: 4 }, (_, id) =>
        toTask(id, { name: MIXED_TEXT, steps: [MIXED_TEXT, MIXED_TEXT] }, 1, id === 0),
      ),
      openTasks: 4000,
      doneTasks: 0,
      taskRevision: 1,
    })),
    calls: manyCalls(context.now, 300).map((call) => ({ ...call, about: MIXED_TEXT, client: MIXED_TEXT })),
    problems: [MIXED_TEXT, `The state file cannot be read: ${LONG_WORD}`],
  }
}

/** The largest number of items that the page must scroll without delay: 200 jobs, 2,000 tasks and 5,000 calls. */
export function largeView(context: StoryContext): ConsoleView {
  const view = sampleView(context)
  return {
    ...view,
    jobs: manyJobs(view.jobs, 200),
    projects: [{ project: SHOP, plan: null, tasks: manyTasks(2000), openTasks: 2000, doneTasks: 0, taskRevision: 1 }],
    calls: manyCalls(context.now, 5000),
  }
}

function manyJobs(jobs: readonly JobView[], count: number): readonly JobView[] {
  return Array.from({ length: Math.ceil(count / jobs.length) }, (_, round) =>
    jobs.map((job, index) => ({
      ...job,
      id: round * jobs.length + index + 1,
      startedAt: job.startedAt - round * HOUR,
    })),
  )
    .flat()
    .slice(0, count)
}

function manyTasks(count: number): readonly TaskView[] {
  return Array.from({ length: count }, (_, index) =>
    toTask(count - index, { name: `Task ${count - index}: look at the log`, steps: ['Read it', 'Report'] }, index % 3),
  )
}

function manyCalls(now: number, count: number): readonly CallView[] {
  const calls = sampleCalls(now)
  return Array.from({ length: Math.ceil(count / calls.length) }, (_, round) =>
    calls.map((call, index) => ({
      ...call,
      id: `c${count - round * calls.length - index}`,
      startedAt: call.startedAt - round * HOUR,
    })),
  )
    .flat()
    .slice(0, count)
}

export const EXTREME_PLAN: ApprovalDetails = {
  hash: 'h',
  text: `# ${MIXED_TEXT}\n\n- [ ] ${MIXED_TEXT}\n\n\`\`\`${MIXED_TEXT}\n${MIXED_TEXT}\n\`\`\`\n${MIXED_TEXT}`,
  discarded: null,
  changes: [
    { mark: ' ', text: '1. Write down the states of a refund.' },
    { mark: '-', text: '2. A column for the amount.' },
    { mark: '+', text: MIXED_TEXT },
    null,
  ],
}
