// Above the list of tasks: search, which tasks are shown, of which project, and the button that creates one. Used by
// tasks.tsx. Creates tasks.

import { useEffect, useId, useRef, useState } from 'preact/hooks'

import type { TaskQuery } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { Dialog } from '../components/dialog.js'
import { useKeys } from '../components/keys.js'
import { projectNameOf } from '../components/text.js'
import { useAction } from '../use-console.js'
import { useKeptTexts } from '../use-kept-text.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'

export interface TaskFilter extends Pick<TaskQuery, 'text' | 'state'> {
  /** Null: all projects. */
  readonly project: string | null
}

interface TaskFilterBarProps {
  readonly filter: TaskFilter
  readonly setFilter: (update: (before: TaskFilter) => TaskFilter) => void
  readonly projects: readonly string[]
}

const STATES = ['open', 'done', 'all'] as const
const STATE_LABELS = { open: 'tasksFilterOpen', done: 'tasksFilterDone', all: 'tasksFilterAll' } as const
const SEARCH_DELAY_MS = 150

export function TaskFilterBar({ filter, setFilter, projects }: TaskFilterBarProps) {
  const { translate } = useTranslator()
  const canAct = useServers().canAct()
  const search = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(filter.text)
  const [isCreating, setCreating] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setFilter((before) => ({ ...before, text })), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  useKeys([
    { keys: '/', label: 'tasksSearch', run: () => search.current?.focus() },
    { keys: 'n', label: 'taskNew', run: () => canAct && setCreating(true) },
  ])
  return (
    <div class="task-filter" role="search">
      <input
        ref={search}
        class="field"
        type="search"
        aria-label={translate('tasksSearch')}
        placeholder={translate('tasksSearch')}
        value={text}
        maxLength={1000}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        aria-label={translate('tasksShown')}
        value={filter.state}
        onChange={({ currentTarget: { value } }) => {
          const state = STATES.find((each) => each === value)
          if (state !== undefined) setFilter((before) => ({ ...before, state }))
        }}
      >
        {STATES.map((state) => (
          <option key={state} value={state}>
            {translate(STATE_LABELS[state])}
          </option>
        ))}
      </select>
      {projects.length > 1 && (
        <select
          aria-label={translate('project')}
          value={filter.project ?? ''}
          onChange={({ currentTarget: { value } }) =>
            setFilter((before) => ({ ...before, project: value === '' ? null : value }))
          }
        >
          <option value="">{translate('projectsAll')}</option>
          {projects.map((project) => (
            <option key={project} value={project} title={project}>
              {projectNameOf(project)}
            </option>
          ))}
        </select>
      )}
      <button
        class="button main"
        type="button"
        disabled={!canAct || projects.length === 0}
        onClick={() => setCreating(true)}
      >
        {translate('taskNew')}
      </button>
      {isCreating && <NewTaskDialog projects={projects} chosen={filter.project} close={() => setCreating(false)} />}
    </div>
  )
}

interface NewTaskDialogProps {
  readonly projects: readonly string[]
  readonly chosen: string | null
  readonly close: () => void
}

function NewTaskDialog({ projects, chosen, close }: NewTaskDialogProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const canAct = useServers().canAct()
  const id = useId()
  const name = useRef<HTMLInputElement>(null)
  // Escape keeps what was typed, Cancel does not.
  const { texts, change, drop } = useKeptTexts('new task', { name: '', steps: '', project: chosen ?? '' })
  const project = [texts.project, chosen, projects[0]].find((each) => projects.some((one) => one === each)) ?? ''
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<ActionResult>()
  useEffect(() => name.current?.focus(), [])
  const create = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (isBusy || !canAct) return
    setBusy(true)
    const steps = texts.steps.split('\n').filter((step) => step.trim() !== '')
    const done = await act('change-task', {
      project,
      change: { kind: 'create', name: texts.name, steps },
    })
    setBusy(false)
    setResult(done)
    if (done.ok) end()
  }
  const end = (): void => {
    drop()
    close()
  }
  return (
    <Dialog title={translate('taskNew')} close={close}>
      <form class="task-form" onSubmit={(event) => void create(event)}>
        <label for={`${id}-name`}>{translate('taskName')}</label>
        <input
          ref={name}
          id={`${id}-name`}
          class="field"
          dir="auto"
          maxLength={500}
          required
          value={texts.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
        <label for={`${id}-steps`}>{translate('taskStepsLines')}</label>
        <textarea
          id={`${id}-steps`}
          class="field"
          dir="auto"
          rows={5}
          value={texts.steps}
          onInput={(event) => change({ steps: event.currentTarget.value })}
        />
        {projects.length > 1 && (
          <>
            <label for={`${id}-project`}>{translate('project')}</label>
            <select
              id={`${id}-project`}
              value={project}
              onChange={(event) => change({ project: event.currentTarget.value })}
            >
              {projects.map((each) => (
                <option key={each} value={each} title={each}>
                  {projectNameOf(each)}
                </option>
              ))}
            </select>
          </>
        )}
        <p class="quiet">{translate('taskNewMeans')}</p>
        <ActionError result={result} />
        <div class="actions">
          <button class="button" type="button" onClick={end}>
            {translate('cancel')}
          </button>
          <button class="button main" type="submit" disabled={isBusy || !canAct}>
            {translate(isBusy ? 'sending' : 'taskCreate')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
