// Rows of the list of tasks: a project, a task with its steps, and the place where more are loaded. Used by tasks.tsx.
// Renders only.

import { useEffect } from 'preact/hooks'

import type { ProjectView, TaskChange, TaskView } from '../../view.js'
import { Icon } from '../components/icon.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, UntrustedText } from '../components/text.js'
import { routeHref } from '../route.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { TickBox } from './tick-box.js'

export function taskKey(project: string, id: number): string {
  return `${id} ${project}`
}

export function ProjectRow({ project, plan, openTasks, doneTasks }: ProjectView) {
  const { translate } = useTranslator()
  return (
    <div class="task-project">
      <h2>
        <ProjectName path={project} />
      </h2>
      <p class="meta">
        <span>{translate('tasksOpen', { n: openTasks })}</span>
        {doneTasks > 0 && <span>{translate('tasksDone', { n: doneTasks })}</span>}
        {plan !== null && <a href={routeHref('plans', project)}>{translate('planOpen')}</a>}
      </p>
    </div>
  )
}

/** Loads when it comes near the screen; the button is for the moment before. */
export function MoreTasksRow({ left, load }: { readonly left: number | undefined; readonly load: () => void }) {
  const { translate } = useTranslator()
  useEffect(load, [])
  return (
    <p class="task-more">
      {left === undefined ? (
        <span class="quiet">{translate('loading')}</span>
      ) : (
        <button class="button" type="button" onClick={load}>
          {translate('tasksMore', { n: left })}
        </button>
      )}
    </p>
  )
}

interface TaskRowProps {
  readonly project: string
  readonly task: TaskView
  readonly isOpened: boolean
  readonly isCollapsed: boolean
  readonly toggle: () => void
  readonly drag: 'dragged' | 'over' | undefined
  readonly startDrag: (event: PointerEvent) => void
  readonly moveBy: (by: number) => void
  readonly change: (change: TaskChange) => Promise<void>
}

export function TaskRow({
  project,
  task,
  isCollapsed,
  toggle,
  drag,
  startDrag,
  moveBy,
  change,
  ...props
}: TaskRowProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const { id, completedAt, stepsTotal, stepsDone } = task
  const isDone = completedAt !== null
  const name = stripControls(task.name)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    if (canAct && !isDone) moveBy(event.key === 'ArrowUp' ? -1 : 1)
  }
  const classes = ['card', 'task', task.isCurrent && 'current', isDone && 'done', props.isOpened && 'opened', drag]
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      onKeyDown={onKeyDown}
      {...(isDone ? {} : { 'data-drag-key': taskKey(project, id), 'data-drag-group': project })}
    >
      <TickBox
        isDone={isDone}
        label={translate(isDone ? 'reopenTask' : 'completeTask', { name })}
        tick={() => change({ kind: isDone ? 'reopen' : 'complete', id })}
      />
      <div class="task-head">
        <div class="task-name">
          <a href={routeHref('tasks', project, id)} aria-current={props.isOpened ? 'true' : undefined}>
            <UntrustedText text={task.name} />
          </a>
        </div>
        <p class="meta">
          <span>{translate('taskNumber', { id: `${id}` })}</span>
          {task.isCurrent && <span class="tag">{translate('current')}</span>}
          {stepsTotal > 0 && <span>{translate('stepsDone', { done: stepsDone, n: stepsTotal })}</span>}
        </p>
      </div>
      <div class="task-buttons">
        {stepsTotal > 0 && (
          <button class="button plain collapse" type="button" aria-expanded={!isCollapsed} onClick={toggle}>
            <Icon of="expand" />
            <span class="unseen">{translate('stepsOf', { name })}</span>
          </button>
        )}
        {!isDone && (
          <button
            class="button plain handle"
            type="button"
            title={translate('taskMoveHow')}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
            disabled={!canAct}
            onPointerDown={startDrag}
          >
            <Icon of="handle" />
            <span class="unseen">{translate('taskMove', { name })}</span>
          </button>
        )}
      </div>
      {!isCollapsed && task.steps.length > 0 && <TaskSteps project={project} task={task} change={change} />}
    </article>
  )
}

function TaskSteps({ project, task, change }: Pick<TaskRowProps, 'project' | 'task' | 'change'>) {
  const { translate } = useTranslator()
  const { id, steps, stepsTotal } = task
  return (
    <ul class="steps">
      {steps.map((step) => (
        <li key={step.id} class={step.isDone ? 'done' : ''}>
          <TickBox
            isDone={step.isDone}
            tick={() => change({ kind: step.isDone ? 'reopen-step' : 'complete-step', id, step: step.id })}
          >
            <UntrustedText text={step.text} />
          </TickBox>
        </li>
      ))}
      {stepsTotal > steps.length && (
        <li>
          <a href={routeHref('tasks', project, id)}>{translate('moreSteps', { n: stepsTotal - steps.length })}</a>
        </li>
      )}
    </ul>
  )
}
