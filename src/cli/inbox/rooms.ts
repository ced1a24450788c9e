// From the overview into one thing and back, until the person goes.

import type { CallbackView, MessageView } from '../../services/board/view.js'
import { attempt, fitting, readAll, roomAbove, wrapped, type Context } from './context.js'
import { answer } from './form.js'
import { followJob } from './job-room.js'
import { endedOf, headline, overviewOf, sectionNamed, type Item, type Place } from './overview.js'
import { joined, projectName } from './phrases.js'
import type { Entry, Menu } from './prompts.js'
import { callbackTime } from './sections.js'

const BACK = { value: 'back', label: 'Back' } as const

/** Resolves when the person quits. */
export async function walk(context: Context): Promise<void> {
  for (let at: string | undefined; ;) {
    const { notice } = context
    const items = (): readonly Item[] => overviewOf(context.view(), Date.now())
    at = await context.prompts.choose(
      () => listOf(context, [headline(context.view()), ...(notice === '' ? [] : [notice])], items()),
      at,
    )
    context.notice = ''
    const place = items().find(({ value }) => value === at)?.place
    if (at === undefined || place?.kind === 'quit') return
    if (place) await enter(context, place)
    else context.notice = 'That is over.'
  }
}

function enter(context: Context, place: Place): Promise<void> {
  switch (place.kind) {
    case 'question':
      return answer(context, place.question)
    case 'job':
      return followJob(context, place.job)
    case 'callback':
      return lookAtCallback(context, place.callback)
    case 'message':
      return lookAtMessage(context, place.message)
    case 'section':
      return readSection(context, place.title)
    case 'ended':
      return chooseEnded(context)
    case 'nothing':
    case 'quit':
  }
  return Promise.resolve()
}

async function lookAtCallback(context: Context, callback: CallbackView): Promise<void> {
  const { board, prompts } = context
  const head = (): string =>
    joined(`Callback ${callback.slot}`, projectName(callback.project), callbackTime(callback, Date.now()))
  const deed = await lookAt(context, head, callback.message, 'Cancel it…')
  if (deed !== 'do' || !(await prompts.confirm(`Cancel callback ${callback.slot}?`, 'Cancel it'))) return
  await attempt(context, () => board.cancelCallback(callback), `Callback ${callback.slot} is cancelled.`)
}

async function lookAtMessage(context: Context, message: MessageView): Promise<void> {
  const kind = message.kind === 'callback' ? 'A callback that fired' : 'An answer that came late'
  const head = (): string => joined(kind, projectName(message.project), 'the model has not been told yet')
  const deed = await lookAt(context, head, message.text, 'Dismiss: the model need not be told')
  if (deed === 'do') await attempt(context, () => context.board.dismiss(message), 'Dismissed.')
}

/** A text, with one thing that can be done about it. */
async function lookAt(
  context: Context,
  head: () => string,
  text: string,
  deed: string,
): Promise<'back' | 'do' | undefined> {
  for (;;) {
    const chosen = await context.prompts.choose((): Menu<'back' | 'do' | 'all'> => {
      const lines = wrapped(context, text)
      const room = roomAbove(context, 4)
      const isCut = lines.length > room
      return {
        message: [fitting(context, head()), ...lines.slice(0, room), ...(isCut ? ['…'] : [])].join('\n'),
        entries: [
          BACK,
          { value: 'do', label: fitting(context, deed) },
          ...(isCut ? [{ value: 'all', label: 'Read all of it' } as const] : []),
        ],
      }
    })
    if (chosen !== 'all') return chosen
    await readAll(context, text)
  }
}

/** Its lines are the entries: that way they can be scrolled. */
async function readSection(context: Context, title: string): Promise<void> {
  await context.prompts.choose(() => {
    const { lines } = sectionNamed(context.view(), title, Date.now())
    const rows = lines.map((label, index) => ({ value: `${index}`, label: fitting(context, label) }))
    return { message: title, entries: [BACK, ...rows] }
  })
}

async function chooseEnded(context: Context): Promise<void> {
  const items = (): readonly Item[] => endedOf(context.view(), Date.now())
  for (let at: string | undefined = BACK.value; ;) {
    at = await context.prompts.choose((): Menu<string> => {
      const { message, entries } = listOf(context, ['Ended jobs'], items())
      return { message, entries: [BACK, ...entries] }
    }, at)
    if (at === undefined || at === BACK.value) return
    const place = items().find(({ value }) => value === at)?.place
    if (place) await enter(context, place)
  }
}

function listOf(context: Context, head: readonly string[], items: readonly Item[]): Menu<string> {
  const entries: readonly Entry<string>[] = items.map(({ value, label }) => ({ value, label: fitting(context, label) }))
  return { message: head.map((each) => fitting(context, each)).join('\n'), entries }
}
