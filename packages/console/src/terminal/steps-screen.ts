// The list of the steps of a task, which can be completed, added, renamed and deleted. Opened by tasks-screen.ts.
// Changes steps through the console.

import { Failure } from '@scorpiox/mcp/errors'
import type { StepView, TaskChange, TaskView } from '../view.js'
import { formatTaskTitle, sanitizeLine } from './format-view.js'
import { loadAllSteps } from './full-view.js'
import type { InboxContext } from './inbox-context.js'
import type { EnterKeptText } from './kept-text.js'
import type { KeyBinding, ListItem, ListScreen } from './pane.js'
import { wrapText } from './rows.js'
import { createTextPane } from './text-pane.js'

export interface StepsScreenOptions {
  readonly project: string
  readonly shown: TaskView
  readonly enterKeptText: EnterKeptText
}

export function createStepsScreen(
  context: InboxContext,
  { project, shown, enterKeptText }: StepsScreenOptions,
): ListScreen {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  const { id } = shown
  let task = shown
  let steps = shown.steps
  let problem = ''
  let loadedRevision: number | undefined
  let isLoading = false

  const revision = (): number | undefined => view().projects.find((each) => each.project === project)?.taskRevision

  async function load(): Promise<void> {
    isLoading = true
    loadedRevision = revision()
    try {
      task = await userConsole.readTask({ project, id })
      steps = await loadAllSteps(userConsole, project, task)
      problem = ''
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    isLoading = false
    ui.redraw()
  }

  async function change(wanted: TaskChange): Promise<boolean> {
    const isDone = await ui.run(() => userConsole.changeTask(project, wanted))
    await load()
    return isDone
  }

  function add(): Promise<void> {
    return enterKeptText({
      key: `add ${id} ${project}`,
      message: translate('newStepAsk'),
      submit: (text) => change({ kind: 'add-steps', id, steps: [text] }),
    })
  }

  function rename({ id: step, text: before }: StepView): Promise<void> {
    return enterKeptText({
      key: `rename ${step} ${id} ${project}`,
      message: translate('renameStepAsk'),
      initial: before,
      submit: (text) => change({ kind: 'rename-step', id, step, text, before }),
    })
  }

  async function remove({ id: step, text, isDone }: StepView): Promise<void> {
    if (await ui.confirm(translate('deleteStepAsk', { name: sanitizeLine(text) }), translate('actDelete')))
      await change({ kind: 'delete-step', id, step, seen: { text, isDone } })
  }

  function stepBindings(step: StepView): readonly KeyBinding[] {
    const kind = step.isDone ? 'reopen-step' : 'complete-step'
    return [
      {
        keys: ['space'],
        hint: 'Space',
        label: translate(step.isDone ? 'actReopen' : 'actComplete'),
        run: async () => void (await change({ kind, id, step: step.id })),
      },
      { keys: ['e'], hint: 'e', label: translate('actRename'), run: () => rename(step) },
      { keys: ['x'], hint: 'x', label: translate('actDelete'), run: () => remove(step) },
    ]
  }

  return {
    title: () => translate('taskNumber', { id: `${id}` }),
    heading: (columns) => [...wrapText(formatTaskTitle(task, translator), columns, 'accent'), []],
    emptyText: translate('stepsNone'),
    items() {
      if (!isLoading && loadedRevision !== revision()) void load()
      if (problem !== '') return [{ value: 'problem', row: () => [{ text: sanitizeLine(problem), style: 'bad' }] }]
      return steps.map((step) => stepItem(context, step))
    },
    bindings(selected) {
      const step = steps.find((each) => `${each.id}` === selected?.value)
      return [...(step ? stepBindings(step) : []), { keys: ['n'], hint: 'n', label: translate('actNewStep'), run: add }]
    },
  }
}

/** The pane has the whole text. */
function stepItem(context: InboxContext, { id: step, text, isDone }: StepView): ListItem {
  const line = `[${isDone ? 'x' : ' '}] ${sanitizeLine(text)}`
  const state = context.translator.translate(isDone ? 'done' : 'toDo')
  return {
    value: `${step}`,
    row: () => (isDone ? [{ text: line, style: 'dim' }] : [line]),
    pane: () =>
      createTextPane(context, {
        heading: (columns) => wrapText(state, columns, 'accent'),
        body: (columns) => wrapText(text, columns),
      }),
  }
}
