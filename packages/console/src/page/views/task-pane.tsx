// The task that is open: its name, state and steps, which can be edited. Shown by tasks.tsx beside the list. Requests the
// task again when it changes; what is being typed stays.

import { useRef, useState } from 'preact/hooks'

import type { StepView, TaskChange, TaskView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { ConfirmButton } from '../components/dialog.js'
import { stripControls } from '../components/strip-controls.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { routeHref } from '../route.js'
import { useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'
import { EditableText, NewStepForm } from './task-editing.js'
import { TickBox } from './tick-box.js'
import { useTask } from './use-task.js'

interface TaskPaneProps {
  readonly project: string
  readonly id: number
  /** Of the tasks of the project. */
  readonly revision: number
}

export function TaskPane({ project, id, revision }: TaskPaneProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const { task, refused } = useTask(project, id, revision)
  const [result, setResult] = useState<ActionResult>()
  const change = async (wanted: TaskChange): Promise<ActionResult> => {
    const done = await act('change-task', { project, change: wanted })
    setResult(done)
    return done
  }
  if (task === undefined)
    return refused === undefined ? <p class="quiet">{translate('loading')}</p> : <ActionError result={refused} />
  return (
    <div class="card task-pane">
      <TaskHead project={project} task={task} change={change} />
      <ActionError result={result?.ok === false ? result : refused} />
      <ul class="steps">
        {task.steps.map((step) => (
          <Step key={step.id} project={project} id={id} step={step} change={change} />
        ))}
      </ul>
      {task.stepsTotal > task.steps.length && (
        <p class="quiet">{translate('moreSteps', { n: task.stepsTotal - task.steps.length })}</p>
      )}
      {task.completedAt === null && (
        <NewStepForm
          draftKey={draftKey(project, id, 'new step')}
          add={(text) => change({ kind: 'add-steps', id, steps: [text] })}
        />
      )}
      <TaskActions project={project} task={task} change={change} />
    </div>
  )
}

function draftKey(project: string, id: number, part: string | number): string {
  return JSON.stringify([project, 'task', id, part])
}

type Change = (change: TaskChange) => Promise<ActionResult>

interface TaskPartProps {
  readonly project: string
  readonly task: TaskView
  readonly change: Change
}

function TaskHead({ project, task, change }: TaskPartProps) {
  const { translate } = useTranslator()
  const { id, name, completedAt } = task
  return (
    <>
      <EditableText
        draftKey={draftKey(project, id, 'name')}
        text={name}
        label={translate('taskName')}
        editLabel={translate('taskRename')}
        maxLength={500}
        save={(text, before) => change({ kind: 'rename', id, name: text, before })}
      >
        <h2>
          <UntrustedText text={name} />
        </h2>
      </EditableText>
      <p class="meta">
        <span>{translate('taskNumber', { id: `${id}` })}</span>
        {task.isCurrent && <span class="tag">{translate('current')}</span>}
        {completedAt !== null && <span class="tag">{translate('done')}</span>}
        <ProjectName path={project} />
        <RelativeTime
          at={completedAt ?? task.createdAt}
          phrase={completedAt === null ? 'taskCreatedAt' : 'taskDoneAt'}
        />
      </p>
    </>
  )
}

interface StepProps {
  readonly project: string
  readonly id: number
  readonly step: StepView
  readonly change: Change
}

function Step({ project, id, step, change }: StepProps) {
  const { translate } = useTranslator()
  const { id: stepId, text, isDone } = step
  const name = stripControls(text)
  const kind = isDone ? 'reopen-step' : 'complete-step'
  return (
    <li class={isDone ? 'done' : ''}>
      <EditableText
        draftKey={draftKey(project, id, stepId)}
        text={text}
        label={translate('stepText')}
        editLabel={translate('stepEdit', { name })}
        maxLength={2000}
        save={(changed, before) => change({ kind: 'rename-step', id, step: stepId, text: changed, before })}
        remove={() => change({ kind: 'delete-step', id, step: stepId, seen: { text, isDone } })}
      >
        <TickBox isDone={isDone} tick={async () => void (await change({ kind, id, step: stepId }))}>
          <UntrustedText text={text} />
        </TickBox>
      </EditableText>
    </li>
  )
}

function TaskActions({ project, task, change }: TaskPartProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const act = useAction()
  const { id, name, stepsDone, stepsTotal } = task
  const isDone = task.completedAt !== null
  const button = useRef<HTMLButtonElement>(null)
  const [isBusy, setBusy] = useState(false)
  const run = async (kind: 'complete' | 'reopen' | 'set-current'): Promise<void> => {
    setBusy(true)
    await change({ kind, id })
    setBusy(false)
    button.current?.focus({ preventScroll: true })
  }
  /** Its own result: the dialog shows it. */
  const remove = async (): Promise<ActionResult> => {
    const seen = { name, isDone, stepsDone, stepsTotal }
    const done = await act('change-task', { project, change: { kind: 'delete', id, seen } })
    if (done.ok) location.hash = routeHref('tasks')
    return done
  }
  return (
    <div class="actions">
      <button
        ref={button}
        class="button"
        type="button"
        disabled={isBusy || !canAct}
        onClick={() => void run(isDone ? 'reopen' : 'complete')}
      >
        {translate(isDone ? 'taskReopen' : 'taskComplete')}
      </button>
      {!isDone && !task.isCurrent && (
        <button class="button" type="button" disabled={isBusy || !canAct} onClick={() => void run('set-current')}>
          {translate('taskSetCurrent')}
        </button>
      )}
      <ConfirmButton
        label="delete"
        title="taskDeleteAsk"
        warning="taskDeleteMeans"
        cancelLabel="keep"
        subject={stripControls(name)}
        details={
          <p>
            <UntrustedText text={name} />
          </p>
        }
        act={remove}
      />
    </div>
  )
}
