// Tasks of all projects: a list that can be searched, filtered, collapsed and ordered, and beside it the task that is open.
// Shown by console-page. Requests tasks and changes them.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

import { withServed } from '../../listed-projects.js'
import type { ProjectView, TaskChange, TaskView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Icon } from '../components/icon.js'
import { SplitView } from '../components/split-view.js'
import { TranslatedText } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { VirtualList } from '../components/virtual-list.js'
import { routeHref } from '../route.js'
import { useAction } from '../use-console.js'
import { useTranslator } from '../use-translator.js'
import { useCollapsedTasks } from './collapsed-tasks.js'
import { useRowDrag } from './drag-row.js'
import { TaskFilterBar, type TaskFilter } from './task-filter.js'
import { TaskPane } from './task-pane.js'
import { MoreTasksRow, ProjectRow, taskKey, TaskRow } from './task-rows.js'
import { useLoadUntilListed } from './use-load-until-listed.js'
import { type TaskLists, useTaskLists } from './use-task-lists.js'

interface TasksViewProps {
  readonly projects: readonly ProjectView[]
  /** Projects of servers that run: tasks can be created there too. */
  readonly served: readonly string[]
  /** Project and number of the task that is open, from the address. */
  readonly path: readonly string[]
  /** What is searched, from the address. */
  readonly text: string
}

export function TasksView({ projects, served, text, path: [openProject, openId] }: TasksViewProps) {
  const { translate } = useTranslator()
  const [filter, setFilter] = useState<TaskFilter>({ text, state: text === '' ? 'open' : 'all', project: null })
  // The address of a task has no search: the last one stays.
  const [searched, setSearched] = useState(text)
  useEffect(() => {
    if (text === '' || text === searched) return
    setSearched(text)
    setFilter({ text, state: 'all', project: null })
  }, [text])
  const all = useMemo(() => withServed(projects, served), [projects, served.join('\n')])
  const shown = useMemo(
    () => all.filter(({ project }) => filter.project === null || project === filter.project),
    [all, filter.project],
  )
  const hasDetail = openProject !== undefined && openId !== undefined
  const revision = all.find(({ project }) => project === openProject)?.taskRevision ?? 0
  const detail = hasDetail && (
    <TaskPane key={`${openId} ${openProject}`} project={openProject} id={Number(openId)} revision={revision} />
  )
  return (
    <ViewFrame
      view="tasks"
      summary={{ phrase: 'tasksOpen', n: all.reduce((sum, { openTasks }) => sum + openTasks, 0) }}
      empty={{ phrase: 'tasksNone', how: 'tasksHow', tool: 'TaskManager' }}
      isEmpty={all.length === 0 && !hasDetail}
    >
      <SplitView
        list={
          <>
            <TaskFilterBar
              key={searched}
              filter={filter}
              setFilter={setFilter}
              projects={all.map(({ project }) => project)}
            />
            <TaskListing
              projects={shown}
              filter={filter}
              opened={hasDetail ? { project: openProject, id: Number(openId) } : undefined}
            />
          </>
        }
        detail={detail || undefined}
        detailKey={`${openId} ${openProject}`}
        detailLabel={translate('taskOf', { id: openId ?? '' })}
        backHref={routeHref('tasks')}
        placeholder={translate('taskChoose')}
      />
    </ViewFrame>
  )
}

type Row =
  | { readonly kind: 'project'; readonly key: string; readonly view: ProjectView }
  | { readonly kind: 'task'; readonly key: string; readonly project: string; readonly task: TaskView }
  | { readonly kind: 'more'; readonly key: string; readonly project: string; readonly left: number | undefined }

interface OpenedTask {
  readonly project: string
  readonly id: number
}

interface TaskListingProps {
  readonly projects: readonly ProjectView[]
  readonly filter: TaskFilter
  readonly opened: OpenedTask | undefined
}

function TaskListing({ projects, filter, opened }: TaskListingProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const lists = useTaskLists(projects, filter)
  const collapsed = useCollapsedTasks()
  const [result, setResult] = useState<ActionResult>()
  const [announced, announce] = useState('')
  const rows = useMemo(() => toRows(projects, lists), [projects, ...projects.map(({ project }) => lists.of(project))])
  const keepFocus = useFocusAfterMove(rows)
  const openedKey = useOpenedTask(opened, lists, rows)

  const change = async (project: string, wanted: TaskChange): Promise<void> => {
    setResult(await act('change-task', { project, change: wanted }))
  }
  const moveTo = async (project: string, id: number, to: number): Promise<void> => {
    keepFocus()
    const open = (lists.of(project).tasks ?? []).filter(isOpen)
    const place = open.findIndex((task) => task.id === to) + 1
    const done = await lists.move(project, id, to)
    setResult(done)
    if (done.ok) announce(translate('taskMoved', { place, n: open.length }))
  }
  const moveBy = (project: string, id: number, by: number): void => {
    const open = (lists.of(project).tasks ?? []).filter(isOpen)
    const to = open[open.findIndex((task) => task.id === id) + by]
    if (to !== undefined) void moveTo(project, id, to.id)
  }
  const { drag, start } = useRowDrag((from, over) => {
    const [one, other] = [from, over].map((key) => rows.find((row) => row.key === key))
    if (one?.kind === 'task' && other?.kind === 'task') void moveTo(one.project, one.task.id, other.task.id)
  })

  const render = (row: Row) => {
    if (row.kind === 'project') return <ProjectRow {...row.view} />
    if (row.kind === 'more') return <MoreTasksRow left={row.left} load={() => lists.loadMore(row.project)} />
    const { key, project, task } = row
    return (
      <TaskRow
        project={project}
        task={task}
        isOpened={key === openedKey}
        isCollapsed={collapsed.has(key)}
        toggle={() => collapsed.toggle(key)}
        drag={drag?.key === key ? 'dragged' : drag?.over === key ? 'over' : undefined}
        startDrag={(event) => start(event, key)}
        moveBy={(by) => moveBy(project, task.id, by)}
        change={(wanted) => change(project, wanted)}
      />
    )
  }
  const isLoaded = projects.every(({ project }) => lists.of(project).tasks !== undefined)
  const refused = projects.map(({ project }) => lists.of(project).refused).find((each) => each !== undefined)
  return (
    <>
      {isLoaded && refused === undefined && rows.every(({ kind }) => kind === 'project') && <NoTasks filter={filter} />}
      <VirtualList
        items={rows}
        keyOf={rowKey}
        render={render}
        label={translate('tasks')}
        estimate={96}
        current={openedKey}
      />
      <div class="task-errors">
        <ActionError result={result?.ok === false ? result : refused} />
      </div>
      <p class="unseen" role="status">
        {announced}
      </p>
    </>
  )
}

/** The key of its row, which is listed as soon as its page was read. */
function useOpenedTask(opened: OpenedTask | undefined, lists: TaskLists, rows: readonly Row[]): string | undefined {
  const key = opened && taskKey(opened.project, opened.id)
  const list = opened && lists.of(opened.project)
  const hasMore = typeof list?.next === 'number'
  useLoadUntilListed({
    key,
    isListed: rows.some((row) => row.key === key),
    count: list?.tasks?.length ?? 0,
    loadMore: opened && hasMore ? () => lists.loadMore(opened.project) : undefined,
  })
  return key
}

function NoTasks({ filter }: { readonly filter: TaskFilter }) {
  const { translate } = useTranslator()
  const isFiltered = filter.text !== '' || filter.state !== 'open'
  return (
    <div class="empty">
      <Icon of="tasks" />
      <p class="what">{translate(isFiltered ? 'tasksNoneFound' : 'tasksNone')}</p>
      {!isFiltered && (
        <p class="quiet">
          <TranslatedText textKey="tasksHow" values={{ tool: <code>TaskManager</code> }} />
        </p>
      )}
    </div>
  )
}

function rowKey({ key }: Row): string {
  return key
}

function isOpen({ completedAt }: TaskView): boolean {
  return completedAt === null
}

function toRows(projects: readonly ProjectView[], lists: TaskLists): readonly Row[] {
  return projects.flatMap((view): readonly Row[] => {
    const { project } = view
    const { tasks, found, next } = lists.of(project)
    const left = tasks === undefined ? undefined : found - tasks.length
    return [
      { kind: 'project', key: `project ${project}`, view },
      ...(tasks ?? []).map((task) => ({ kind: 'task' as const, key: taskKey(project, task.id), project, task })),
      ...(tasks === undefined || next !== null
        ? [{ kind: 'more' as const, key: `more ${tasks?.length ?? 0} ${project}`, project, left }]
        : []),
    ]
  })
}

/** A row that moves in the document loses the focus. */
function useFocusAfterMove(rows: readonly Row[]): () => void {
  const focused = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    const target = focused.current
    if (target === null || !target.isConnected) return
    if (document.activeElement !== target) target.focus({ preventScroll: true })
    target.closest('[data-key]')?.scrollIntoView({ block: 'nearest' })
  }, [rows])
  useEffect(() => {
    const forget = (event: FocusEvent): void => {
      if (event.target !== focused.current) focused.current = null
    }
    addEventListener('focusin', forget)
    return () => removeEventListener('focusin', forget)
  }, [])
  return () => {
    focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null
  }
}
