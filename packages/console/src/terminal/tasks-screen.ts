// The list of plans and tasks of all projects: searched, filtered and changed. Opened by home-screen.ts. Changes tasks
// through the console.

import { withServed } from '../listed-projects.js'
import type { ProjectView, TaskChange, TaskView } from '../view.js'
import { formatPlanTitle, formatProjectName, formatTaskTitle, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { EnterKeptText } from './kept-text.js'
import type { KeyBinding, ListItem, ListScreen } from './pane.js'
import { createPlanPane } from './plan-pane.js'
import type { Row } from './rows.js'
import { createSearchBinding } from './search-binding.js'
import { createStepsScreen } from './steps-screen.js'
import { createTaskLists, type TaskFilter } from './task-lists.js'

const STATES = ['open', 'done', 'all'] as const satisfies readonly TaskFilter['state'][]

interface ListedTask {
  readonly project: string
  readonly task: TaskView
}

export function createTasksScreen(context: InboxContext, enterKeptText: EnterKeptText): ListScreen {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  const lists = createTaskLists(context)

  const projects = (): readonly ProjectView[] =>
    withServed(
      view().projects,
      view().servers.map(({ project }) => project),
    )

  const listed = (): readonly ListedTask[] =>
    projects().flatMap((each) => lists.of(each).tasks.map((task) => ({ project: each.project, task })))

  const find = (item: ListItem | undefined): ListedTask | undefined =>
    listed().find((each) => taskKey(each) === item?.value)

  async function change(project: string, wanted: TaskChange): Promise<boolean> {
    const isDone = await ui.run(() => userConsole.changeTask(project, wanted))
    lists.reload()
    return isDone
  }

  function showNextState(): void {
    const { state } = lists.filter
    lists.filter = { ...lists.filter, state: STATES[(STATES.indexOf(state) + 1) % STATES.length] ?? 'open' }
  }

  function create(project: string): Promise<void> {
    return enterKeptText({
      key: `create ${project}`,
      message: joinParts(translate('newTaskAsk'), formatProjectName(project)),
      submit: (name) => change(project, { kind: 'create', name, steps: [] }),
    })
  }

  function rename({ project, task: { id, name: before } }: ListedTask): Promise<void> {
    return enterKeptText({
      key: `rename ${id} ${project}`,
      message: translate('renameTaskAsk', { id: `${id}` }),
      initial: before,
      submit: (name) => change(project, { kind: 'rename', id, name, before }),
    })
  }

  async function remove({ project, task }: ListedTask): Promise<void> {
    const { id, name, stepsDone, stepsTotal } = task
    const question = translate('deleteTaskAsk', { id: `${id}`, name: sanitizeLine(name) })
    if (!(await ui.confirm(question, translate('actDelete')))) return
    await change(project, {
      kind: 'delete',
      id,
      seen: { name, stepsDone, stepsTotal, isDone: task.completedAt !== null },
    })
  }

  /** Exchanges the task with the one above or below it. */
  async function move(listedTask: ListedTask, step: 1 | -1): Promise<void> {
    const { project, task } = listedTask
    const own = listed().filter((each) => each.project === project)
    const to = own[own.findIndex((each) => each.task.id === task.id) + step]
    if (to) await change(project, { kind: 'move', id: task.id, to: to.task.id })
  }

  function projectItems(project: ProjectView): readonly ListItem[] {
    const { tasks, found, problem } = lists.of(project)
    const { text, state } = lists.filter
    const isWhole = text === '' && state === 'open'
    const count = isWhole ? translate('tasksOpen', { n: project.openTasks }) : translate('tasksFound', { n: found })
    const group = joinParts(formatProjectName(project.project), count)
    const rows: readonly ListItem[] = [
      ...(project.plan && text === '' ? [planItem(context, project.project, project.plan, group)] : []),
      ...tasks.map((task) => {
        const open = (): ListScreen =>
          createStepsScreen(context, { project: project.project, shown: task, enterKeptText })
        return taskItem(context, { project: project.project, task }, { group, open })
      }),
    ]
    const note = problem === '' ? translate('noTasks') : sanitizeLine(problem)
    const placeholder: ListItem = {
      value: `none ${project.project}`,
      group,
      row: () => [{ text: note, style: problem === '' ? 'dim' : 'bad' }],
    }
    return rows.length === 0 ? [placeholder] : rows
  }

  function taskBindings(listedTask: ListedTask): readonly KeyBinding[] {
    const { project, task } = listedTask
    const { id, isCurrent } = task
    const isDone = task.completedAt !== null
    const canMove = lists.filter.text === '' && lists.filter.state === 'open'
    const toggle = async (): Promise<void> => void (await change(project, { kind: isDone ? 'reopen' : 'complete', id }))
    const setCurrent = async (): Promise<void> => void (await change(project, { kind: 'set-current', id }))
    return [
      { keys: ['space'], hint: 'Space', label: translate(isDone ? 'actReopen' : 'actComplete'), run: toggle },
      { keys: ['e'], hint: 'e', label: translate('actRename'), run: () => rename(listedTask) },
      { keys: ['x'], hint: 'x', label: translate('actDelete'), run: () => remove(listedTask) },
      ...(canMove
        ? [
            {
              keys: ['J', 'shift+down', 'K', 'shift+up'],
              hint: 'J/K',
              allKeys: 'J/K Shift+↓/↑',
              label: translate('actReorder'),
              run: (key: string) => move(listedTask, key === 'J' || key === 'shift+down' ? 1 : -1),
            },
          ]
        : []),
      ...(isDone || isCurrent
        ? []
        : [{ keys: ['c'], hint: 'c', label: translate('actSetCurrent'), isMinor: true, run: setCurrent }]),
    ]
  }

  return {
    title() {
      const { text, state } = lists.filter
      const stateName = { open: '', done: translate('done'), all: translate('tasksAll') }[state]
      return joinParts(translate('plansAndTasks'), stateName, text !== '' && `/${sanitizeLine(text)}`)
    },
    emptyText: translate('tasksNone'),
    items: () => projects().flatMap((project) => projectItems(project)),
    reachEnd: () => lists.loadMore(),
    bindings(selected) {
      const found = find(selected)
      const project = found?.project ?? projectOf(selected, projects()) ?? projects()[0]?.project
      return [
        ...(found ? taskBindings(found) : []),
        ...(project === undefined
          ? []
          : [{ keys: ['n'], hint: 'n', label: translate('actNewTask'), run: () => create(project) }]),
        createSearchBinding(context, {
          message: translate('searchTasks'),
          text: lists.filter.text,
          search: (text) => void (lists.filter = { ...lists.filter, text: text.trim() }),
        }),
        { keys: ['f'], hint: 'f', label: translate('actFilter'), run: showNextState },
      ]
    },
  }
}

function taskKey({ project, task }: ListedTask): string {
  return `task ${task.id} ${project}`
}

/** Of a plan, or of a project without tasks. */
function projectOf(item: ListItem | undefined, projects: readonly ProjectView[]): string | undefined {
  return projects.find(({ project }) => item?.value === `plan ${project}` || item?.value === `none ${project}`)?.project
}

function planItem(context: InboxContext, project: string, plan: { readonly goal: string }, group: string): ListItem {
  return {
    value: `plan ${project}`,
    group,
    row: () => [{ text: formatPlanTitle(plan, context.translator), style: 'accent' }],
    pane: () => createPlanPane(context, project, plan.goal),
  }
}

function taskItem(context: InboxContext, listedTask: ListedTask, place: Pick<ListItem, 'group' | 'open'>): ListItem {
  const { task } = listedTask
  const row = (): Row => {
    const text = formatTaskTitle(task, context.translator)
    if (task.completedAt !== null) return [{ text: `[x] ${text}`, style: 'dim' }]
    return [`[ ] `, task.isCurrent ? { text, style: 'bold' } : text]
  }
  return { value: taskKey(listedTask), row, ...place }
}
