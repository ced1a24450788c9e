// Tasks and the open plan of each project. Shown by console-page. Requests plans and older tasks.

import { useEffect, useId, useState } from 'preact/hooks'

import type { ProjectView, TaskView } from '../../view.js'
import { type ActionResult, textMember } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Dialog } from '../components/dialog.js'
import { Icon } from '../components/icon.js'
import { stripControls } from '../components/strip-controls.js'
import { projectNameOf, RelativeTime, UntrustedText } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { useAction } from '../use-console.js'
import { useTranslator } from '../use-translator.js'
import { useAllSteps, useOlderTasks } from './use-more-tasks.js'

function PlanDialog({ project, close }: { readonly project: string; readonly close: () => void }) {
  const { translate } = useTranslator()
  const act = useAction()
  const [done, setDone] = useState<ActionResult>()
  useEffect(() => {
    let isWanted = true
    void act('plan', { project }).then((outcome) => {
      if (isWanted) setDone(outcome)
    })
    return () => {
      isWanted = false
    }
  }, [act, project])
  const text = done?.ok === true ? textMember(done.value, 'text') : null
  return (
    <Dialog title={translate('planOpen')} isWide close={close}>
      {done === undefined ? <p class="quiet">{translate('loading')}</p> : <ActionError result={done} />}
      {done?.ok === true && text === null && <p class="quiet none">{translate('planEmpty')}</p>}
      {text !== null && (
        // Scrollable, so it must be focusable. Each line has its own writing direction.
        <pre class="prose" tabIndex={0} role="group" aria-label={translate('planOpen')}>
          {stripControls(text)}
        </pre>
      )}
      <div class="actions">
        <button class="button" type="button" onClick={close}>
          {translate('close')}
        </button>
      </div>
    </Dialog>
  )
}

export function TasksView({ projects }: { readonly projects: readonly ProjectView[] }) {
  const shown = projects.filter(({ plan, openTasks }) => plan !== null || openTasks > 0)
  return (
    <ViewFrame
      route="tasks"
      summary={{ phrase: 'tasksOpen', n: shown.reduce((sum, { openTasks }) => sum + openTasks, 0) }}
      empty={{ phrase: 'tasksNone', how: 'tasksHow', tool: 'TaskManager', other: 'PlanMode' }}
      isEmpty={shown.length === 0}
    >
      {shown.map((project) => (
        <ProjectTasks key={project.project} project={project} />
      ))}
    </ViewFrame>
  )
}

function ProjectTasks({ project }: { readonly project: ProjectView }) {
  const { translate } = useTranslator()
  const id = useId()
  const [readsPlan, setReadsPlan] = useState(false)
  const { older, refused, showMore } = useOlderTasks(project)
  const tasks = [...project.tasks, ...older]
  const hidden = project.openTasks - tasks.length
  return (
    <section aria-labelledby={id}>
      <div class="place">
        <h2 id={id}>
          <bdi dir="ltr">{projectNameOf(project.project)}</bdi>
        </h2>
        <bdi class="path quiet" dir="ltr">
          {project.project}
        </bdi>
      </div>
      <ul class="cards">
        {project.plan !== null && (
          <li class="card plan">
            <p class="meta">
              <span class="tag">
                <Icon of="plan" />
                {translate('planOpen')}
              </span>
              <RelativeTime at={project.plan.startedAt} phrase="since" />
            </p>
            <p>
              <UntrustedText class="goal" text={project.plan.goal} />
            </p>
            <div class="actions">
              <button class="button" type="button" onClick={() => setReadsPlan(true)}>
                {translate('planRead')}
              </button>
            </div>
          </li>
        )}
        {tasks.map((task) => (
          <Task key={task.id} project={project.project} task={task} />
        ))}
      </ul>
      <ActionError result={refused} />
      {hidden > 0 && (
        <button class="button more" type="button" onClick={showMore}>
          {translate('moreTasks', { n: hidden })}
        </button>
      )}
      {readsPlan && <PlanDialog project={project.project} close={() => setReadsPlan(false)} />}
    </section>
  )
}

function Task({ project, task }: { readonly project: string; readonly task: TaskView }) {
  const { translate } = useTranslator()
  const { steps, refused, showAll } = useAllSteps(project, task)
  const hidden = task.stepsTotal - steps.length
  return (
    <li class={task.isCurrent ? 'card current' : 'card'}>
      <div class="title">
        <h3>
          <UntrustedText class="goal" text={task.name} />
        </h3>
        {task.isCurrent && <span class="tag">{translate('current')}</span>}
      </div>
      {task.stepsTotal > 0 && <Progress task={task} />}
      {steps.length > 0 && (
        <ul class="steps">
          {steps.map((step) => (
            <li key={step.id} class={step.isDone ? 'done' : ''}>
              <span class="box" aria-hidden="true">
                {step.isDone && <Icon of="check" />}
              </span>
              <span class="unseen">{translate(step.isDone ? 'done' : 'toDo')}: </span>
              <UntrustedText text={step.text} />
            </li>
          ))}
        </ul>
      )}
      <ActionError result={refused} />
      {hidden > 0 && (
        <div class="actions">
          <button class="button" type="button" onClick={showAll}>
            {translate('moreSteps', { n: hidden })}
          </button>
        </div>
      )}
    </li>
  )
}

function Progress({ task }: { readonly task: TaskView }) {
  const { translate } = useTranslator()
  const label = translate('stepsDone', { done: task.stepsDone, n: task.stepsTotal })
  return (
    <p class="progress">
      <progress value={task.stepsDone} max={task.stepsTotal} aria-label={label} />
      <span class="quiet" aria-hidden="true">
        {label}
      </span>
    </p>
  )
}
