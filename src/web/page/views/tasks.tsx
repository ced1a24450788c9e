import { useId, useState } from 'preact/hooks'

import type { ProjectView, TaskView } from '../../../services/board/view.js'
import { Icon } from '../parts/icon.js'
import { Moment } from '../parts/moment.js'
import { Refusal } from '../parts/refusal.js'
import { nameOf } from '../parts/project.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { Foreign } from '../parts/foreign.js'
import { useAllSteps, useOlderTasks } from './more-tasks.js'
import { PlanText } from './plan-text.js'

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
  const { say } = useWords()
  const id = useId()
  const [readsPlan, setReadsPlan] = useState(false)
  const { older, refused, showMore } = useOlderTasks(project)
  const tasks = [...project.tasks, ...older]
  const hidden = project.openTasks - tasks.length
  return (
    <section aria-labelledby={id}>
      <div class="place">
        <h2 id={id}>
          <bdi dir="ltr">{nameOf(project.project)}</bdi>
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
                {say('planOpen')}
              </span>
              <Moment at={project.plan.startedAt} phrase="since" />
            </p>
            <p>
              <Foreign class="goal" text={project.plan.goal} />
            </p>
            <div class="actions">
              <button class="button" type="button" onClick={() => setReadsPlan(true)}>
                {say('planRead')}
              </button>
            </div>
          </li>
        )}
        {tasks.map((task) => (
          <Task key={task.id} project={project.project} task={task} />
        ))}
      </ul>
      <Refusal done={refused} />
      {hidden > 0 && (
        <button class="button more" type="button" onClick={showMore}>
          {say('moreTasks', { n: hidden })}
        </button>
      )}
      {readsPlan && <PlanText project={project.project} close={() => setReadsPlan(false)} />}
    </section>
  )
}

function Task({ project, task }: { readonly project: string; readonly task: TaskView }) {
  const { say } = useWords()
  const { steps, refused, showAll } = useAllSteps(project, task)
  const hidden = task.stepsTotal - steps.length
  return (
    <li class={task.isCurrent ? 'card current' : 'card'}>
      <div class="title">
        <h3>
          <Foreign class="goal" text={task.name} />
        </h3>
        {task.isCurrent && <span class="tag">{say('current')}</span>}
      </div>
      {task.stepsTotal > 0 && <Progress task={task} />}
      {steps.length > 0 && (
        <ul class="steps">
          {steps.map((step) => (
            <li key={step.id} class={step.isDone ? 'done' : ''}>
              <span class="box" aria-hidden="true">
                {step.isDone && <Icon of="check" />}
              </span>
              <span class="unseen">{say(step.isDone ? 'done' : 'toDo')}: </span>
              <Foreign text={step.text} />
            </li>
          ))}
        </ul>
      )}
      <Refusal done={refused} />
      {hidden > 0 && (
        <div class="actions">
          <button class="button" type="button" onClick={showAll}>
            {say('moreSteps', { n: hidden })}
          </button>
        </div>
      )}
    </li>
  )
}

function Progress({ task }: { readonly task: TaskView }) {
  const { say } = useWords()
  const label = say('stepsDone', { done: task.stepsDone, n: task.stepsTotal })
  return (
    <p class="progress">
      <progress value={task.stepsDone} max={task.stepsTotal} aria-label={label} />
      <span class="quiet" aria-hidden="true">
        {label}
      </span>
    </p>
  )
}
