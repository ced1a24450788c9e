// View of TaskManager in the chat: the tasks as a board with three columns. A person can create, complete and reopen tasks,
// complete steps, and choose the current task, through a tool for views. Built to a file of its own. Sends messages to the
// host.

import { useEffect, useState } from 'preact/hooks'

import type { AppTask, AppTasks } from '@scorpiox/server/calls/app-data'
import type { TranslationKey } from '../../i18n/translator.js'
import { UntrustedText } from '../components/text.js'
import { useTranslator } from '../use-translator.js'
import { type Fields, isFields } from './app-host.js'
import {
  type AppViewProps,
  FullscreenButton,
  Loading,
  NotUpToDate,
  Problem,
  renderApp,
  ResultText,
} from './app-frame.js'
import { useAppData } from './use-app-data.js'

const POLL_MS = 4000
const SEARCH_DELAY_MS = 200
const MAX_NAME = 500

/** Returns whether it was accepted. */
type Change = (change: Fields) => Promise<boolean>

function TasksApp({ host, result, context }: AppViewProps) {
  const { translate } = useTranslator()
  const [typed, setTyped] = useState('')
  const query = useDelayed(typed.trim())
  const [problem, setProblem] = useState('')
  const uri = `ui://scorpiox-code/data/tasks${query === '' ? '' : `?query=${encodeURIComponent(query)}`}`
  const { data, isBehind, refresh } = useAppData(host, { uri, everyMs: POLL_MS }, isAppTasks)
  if (!host.canRead) return <ResultText result={result} />
  if (data === undefined)
    return isBehind ? (
      <>
        <ResultText result={result} />
        <NotUpToDate />
      </>
    ) : (
      <Loading />
    )

  const change: Change = async (input) => {
    setProblem('')
    const refused = await host.callTool('ChangeTaskInView', input).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : ''),
    )
    setProblem(refused ?? '')
    refresh()
    return refused === undefined
  }
  const changeHere = host.canCall ? change : undefined
  const started = data.open.filter(({ isCurrent, stepsDone }) => isCurrent || stepsDone > 0)
  const waiting = data.open.filter((task) => !started.includes(task))
  return (
    <>
      <div class="app-head">
        <input
          class="field"
          type="search"
          aria-label={translate('appSearchTasks')}
          placeholder={translate('appSearchTasks')}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <FullscreenButton host={host} context={context} />
      </div>
      {changeHere !== undefined && <NewTask change={changeHere} />}
      <Problem text={problem} />
      <div class="board">
        <Column title="appInProgress" tasks={started} change={changeHere} />
        <Column title="toDo" tasks={waiting} change={changeHere} />
        <Column title="done" tasks={data.done} change={changeHere} isDone />
      </div>
      {isBehind && <NotUpToDate />}
    </>
  )
}

/** The value when it has not changed for a moment. */
function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return delayed
}

/** Not a form element: the frame may not be allowed to submit forms. */
function NewTask({ change }: { readonly change: Change }) {
  const { translate } = useTranslator()
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const create = async (): Promise<void> => {
    if (isBusy || name.trim() === '') return
    setBusy(true)
    if (await change({ action: 'create', name: name.trim() })) setName('')
    setBusy(false)
  }
  return (
    <div class="app-head">
      <input
        class="field"
        type="text"
        dir={name === '' ? undefined : 'auto'}
        aria-label={translate('taskNew')}
        placeholder={translate('taskNew')}
        maxLength={MAX_NAME}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && !event.isComposing && void create()}
      />
      <button class="button small" type="button" disabled={isBusy || name.trim() === ''} onClick={() => void create()}>
        {translate('taskCreate')}
      </button>
    </div>
  )
}

interface ColumnProps {
  readonly title: TranslationKey
  readonly tasks: readonly AppTask[]
  readonly change: Change | undefined
  readonly isDone?: boolean
}

function Column({ title, tasks, change, isDone = false }: ColumnProps) {
  const { translate, formatNumber } = useTranslator()
  return (
    <section aria-label={translate(title)}>
      <h2>
        {translate(title)} <span class="badge">{formatNumber(tasks.length)}</span>
      </h2>
      {tasks.length === 0 ? (
        <p class="quiet">{translate('appNothing')}</p>
      ) : (
        <ul class="cards">
          {tasks.map((task) => (
            <Task key={task.id} task={task} change={change} isDone={isDone} />
          ))}
        </ul>
      )}
    </section>
  )
}

interface TaskProps {
  readonly task: AppTask
  readonly change: Change | undefined
  readonly isDone: boolean
}

function Task({ task, change, isDone }: TaskProps) {
  const { translate } = useTranslator()
  const [isBusy, setBusy] = useState(false)
  const run = async (action: 'complete' | 'reopen' | 'switch', step?: number): Promise<void> => {
    setBusy(true)
    await change?.({ action, task_id: task.id, ...(step !== undefined && { step_id: step }) })
    setBusy(false)
  }
  return (
    <li class={isDone ? 'card done' : 'card'}>
      <h3>
        <span class="quiet">{task.id}</span> <UntrustedText text={task.name} />
      </h3>
      {task.isCurrent && <span class="tag">{translate('current')}</span>}
      {task.stepsTotal > 0 && (
        <p class="quiet">{translate('stepsDone', { done: task.stepsDone, n: task.stepsTotal })}</p>
      )}
      {task.steps.length > 0 && (
        <ul class="checks">
          {task.steps.map(({ id, text }) => (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  checked={false}
                  disabled={isBusy || change === undefined}
                  onChange={() => void run('complete', id)}
                />
                <UntrustedText text={text} />
              </label>
            </li>
          ))}
        </ul>
      )}
      {change !== undefined && (
        <div class="actions">
          <button
            class="button small"
            type="button"
            disabled={isBusy}
            onClick={() => void run(isDone ? 'reopen' : 'complete')}
          >
            {translate(isDone ? 'taskReopen' : 'appComplete')}
            <span class="unseen"> {task.name}</span>
          </button>
          {!isDone && !task.isCurrent && (
            <button class="button small" type="button" disabled={isBusy} onClick={() => void run('switch')}>
              {translate('appMakeCurrent')}
              <span class="unseen"> {task.name}</span>
            </button>
          )}
        </div>
      )}
    </li>
  )
}

function isAppTasks(value: unknown): value is AppTasks {
  return isFields(value) && Array.isArray(value.open) && Array.isArray(value.done)
}

renderApp('tasks', 'appTasks', TasksApp)
