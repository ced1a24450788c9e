// The pane of a form of questions: one after the other, answered with the arrow keys or the number of an answer, and sent
// together. What was chosen and typed is kept until the form is answered, also when the pane is left. A form that permits
// a command takes no numbers and asks before it is sent. Opened by home-screen.ts. Sends answers through the console.

import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'
import type { QuestionView } from '../view.js'
import { formatClient, formatProjectName, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext } from './inbox-context.js'
import type { KeyBinding, Pane } from './pane.js'
import { type Area, type Row, wrapAfter, wrapText } from './rows.js'

/** What was chosen and typed so far in one form. */
export interface FormDraft {
  at: number
  readonly answers: readonly AnswerDraft[]
}

interface AnswerDraft {
  cursor: number
  readonly checked: Set<number>
  text: string
}

export function createFormDraft({ questions }: QuestionView): FormDraft {
  return { at: 0, answers: questions.map(() => ({ cursor: 0, checked: new Set(), text: '' })) }
}

export interface QuestionPaneOptions {
  readonly form: QuestionView
  readonly draft: FormDraft
  /** The form was answered: the draft is no longer needed. */
  readonly onSent: () => void
}

const NUMBER_KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
const MOVE_KEYS = ['up', 'down', 'k', 'j', 'home', 'end']

export function createQuestionPane(context: InboxContext, { form, draft, onSent }: QuestionPaneOptions): Pane {
  const { ui, translator, userConsole } = context
  const { translate, formatNumber } = translator
  let textOffset = 0
  let hiddenText = 0
  let textHeight = 1
  let isSent = false
  const isApproval = form.questions.some((each) => each.isApproval === true)
  const find = (): QuestionView | undefined =>
    context.view().questions.find(({ id, project }) => id === form.id && project === form.project)
  const isOpen = (): boolean => find() !== undefined
  const question = (): FormQuestion | undefined => form.questions[draft.at]
  const answer = (): AnswerDraft | undefined => draft.answers[draft.at]

  function move(key: string): void {
    const shown = question()
    const state = answer()
    if (!shown || !state) return
    const count = shown.choices.length + 2
    if (key === 'home' || key === 'end') state.cursor = key === 'home' ? 0 : count - 1
    else state.cursor = (state.cursor + (key === 'up' || key === 'k' ? -1 : 1) + count) % count
  }

  function pick(index: number): void {
    const shown = question()
    const state = answer()
    if (!shown || !state || index >= shown.choices.length + 2) return
    state.cursor = index
    if (shown.multiple) toggle()
  }

  function toggle(): void {
    const state = answer()
    if (state && !state.checked.delete(state.cursor)) state.checked.add(state.cursor)
  }

  async function confirm(): Promise<void> {
    const shown = question()
    const state = answer()
    if (!shown || !state) return
    const [other, decline] = [shown.choices.length, shown.choices.length + 1]
    const chosen = shown.multiple ? state.checked : new Set([state.cursor])
    if (chosen.size === 0) return ui.setStatus(translate('selectSome'))
    if (chosen.has(decline) && chosen.size > 1) return ui.setStatus(translate('notBoth'))
    if (chosen.has(other) && !(await enterOwnAnswer(shown, state))) return
    if (draft.at + 1 < form.questions.length) return goTo(draft.at + 1)
    await send()
  }

  async function enterOwnAnswer({ text }: FormQuestion, state: AnswerDraft): Promise<boolean> {
    const entered = await ui.enterText({
      message: `${sanitizeLine(text)} · ${translate('ownAnswerHint')}`,
      initial: state.text,
      onChange: (typed) => void (state.text = typed),
    })
    return entered !== undefined
  }

  function goTo(at: number): void {
    draft.at = at
    textOffset = 0
  }

  async function send(): Promise<void> {
    const replies = form.questions.map((each, index) => toReply(each, draft.answers[index]))
    if (isApproval && !(await confirmReplies(replies))) return ui.setStatus(translate('notSent'))
    isSent = await ui.run(() => userConsole.answer(form, replies, 'inbox'), translate('sent'))
    if (!isSent && isOpen()) return
    if (isSent) onSent()
    ui.closePane()
  }

  /** Keys that were meant for another item must not permit a command. */
  function confirmReplies(replies: readonly QuestionReply[]): Promise<boolean> {
    const chosen = replies.flatMap(({ outcome, selected }) =>
      outcome === 'answered' ? selected : translate('decline'),
    )
    return ui.confirm(translate('sendAsk', { answer: sanitizeLine(chosen.join(', ')) }), translate('send'))
  }

  function scrollText(key: string): void {
    const step = key === 'pagedown' ? textHeight : -textHeight
    textOffset = Math.max(0, Math.min(textOffset + step, textOffset + hiddenText))
  }

  function headingRows(columns: number): readonly Row[] {
    const shown = question()
    const position =
      form.questions.length > 1 &&
      translate('position', { n: formatNumber(draft.at + 1), total: form.questions.length })
    const title = joinParts(position, sanitizeLine(shown?.header ?? ''), formatProjectName(form.project))
    const found = find()
    const state = found
      ? wrapText(
          joinParts(formatClient(found), translate(form.waiting ? 'callWaitsForThis' : 'callHasEnded')),
          columns,
          'dim',
        )
      : wrapText(translate('answeredElsewhere'), columns, 'warning')
    return [[{ text: title, style: 'accent' }], ...state]
  }

  function textRows(columns: number, height: number): readonly Row[] {
    const all = wrapText(question()?.text ?? '', columns, 'bold')
    if (all.length <= height) {
      hiddenText = textOffset = 0
      return all
    }
    textHeight = Math.max(1, height - 1)
    textOffset = Math.min(textOffset, all.length - textHeight)
    hiddenText = all.length - textHeight - textOffset
    const more = `PgUp/PgDn · ${formatNumber(textOffset + textHeight)} / ${formatNumber(all.length)}`
    return [...all.slice(textOffset, textOffset + textHeight), [{ text: `── ${more} ──`, style: 'dim' }]]
  }

  function draw({ columns, rows }: Area, isFocused: boolean): readonly Row[] {
    const shown = question()
    const state = answer()
    if (!shown || !state) return []
    const heading = headingRows(columns)
    const options = optionRows(context, shown, state, { columns, isFocused })
    const optionCount = options.flat().length
    const gap: readonly Row[] = rows >= 10 ? [[]] : []
    const available = rows - heading.length - 2 * gap.length
    const text = textRows(columns, Math.max(1, Math.ceil(available / 3), available - optionCount))
    return [...heading, ...gap, ...text, ...gap, ...cutOptions(options, state.cursor, available - text.length)]
  }

  function bindings(): readonly KeyBinding[] {
    const shown = question()
    if (!shown) return []
    const numbers = NUMBER_KEYS.slice(0, shown.choices.length + 2)
    const isLast = draft.at + 1 === form.questions.length
    return [
      ...(isApproval
        ? []
        : [
            {
              keys: numbers,
              hint: `1–${numbers.length}`,
              label: translate('choose'),
              isDirect: true,
              run: (key: string) => pick(Number(key) - 1),
            },
          ]),
      ...(shown.multiple ? [{ keys: ['space'], hint: 'Space', label: translate('select'), run: toggle }] : []),
      { keys: ['enter'], hint: 'Enter', label: translate(isLast ? 'send' : 'next'), run: confirm },
      { keys: MOVE_KEYS, hint: '↑/↓', label: translate('move'), isMinor: true, run: move },
      ...(hiddenText > 0 || textOffset > 0
        ? [{ keys: ['pageup', 'pagedown'], hint: 'PgUp/PgDn', label: translate('scroll'), run: scrollText }]
        : []),
      ...(draft.at > 0
        ? [
            {
              keys: ['escape', 'left', 'h'],
              hint: 'Esc',
              label: translate('previousQuestion'),
              isEssential: true,
              run: () => goTo(draft.at - 1),
            },
          ]
        : []),
    ]
  }

  return { draw, bindings, leave: () => (isSent ? '' : translate(isOpen() ? 'notSent' : 'answeredElsewhere')) }
}

function toReply({ choices, multiple }: FormQuestion, draft: AnswerDraft | undefined): QuestionReply {
  const chosen = multiple ? (draft?.checked ?? new Set()) : new Set([draft?.cursor ?? choices.length + 1])
  if (chosen.has(choices.length + 1)) return { outcome: 'declined', selected: [] }
  const labels = choices.flatMap(({ label }, index) => (chosen.has(index) ? [label] : []))
  const own = chosen.has(choices.length) ? [draft?.text.trim() ?? ''] : []
  return { outcome: 'answered', selected: [...labels, ...own] }
}

/** The rows of each option: choices, another answer, declining. */
function optionRows(
  { translator: { translate } }: InboxContext,
  { choices, multiple }: FormQuestion,
  { cursor, checked, text }: AnswerDraft,
  { columns, isFocused }: { readonly columns: number; readonly isFocused: boolean },
): readonly (readonly Row[])[] {
  const options = [
    ...choices,
    { label: translate('ownAnswer'), description: text === '' ? translate('ownAnswerHint') : text },
    { label: translate('decline'), description: translate('declineHint') },
  ]
  return options.map(({ label, description }, index) => {
    const isSelected = isFocused && index === cursor
    const number = index < NUMBER_KEYS.length ? `${index + 1}` : ' '
    const box = multiple ? `[${checked.has(index) ? 'x' : ' '}] ` : ''
    const lead = `${isSelected ? '▸' : ' '} ${number} ${box}`
    const indent = ' '.repeat(lead.length)
    const rows = wrapAfter(lead, sanitizeLine(label), columns, isSelected ? 'bold' : undefined)
    return rows.concat(description === null ? [] : wrapAfter(indent, sanitizeLine(description), columns, 'dim'))
  })
}

/** The rows around the selected option that fit. */
function cutOptions(options: readonly (readonly Row[])[], cursor: number, height: number): readonly Row[] {
  const rows = options.flat()
  if (rows.length <= height) return rows
  const end = options.slice(0, cursor + 1).flat().length
  const start = end - (options[cursor]?.length ?? 1)
  const from = Math.max(0, Math.min(start, Math.max(end - height + 1, 0), rows.length - height))
  const visible = rows.slice(from, from + Math.max(1, height))
  return visible.map((row, index) => {
    const isCut = (index === 0 && from > 0) || (index === visible.length - 1 && from + visible.length < rows.length)
    const isSelected = from + index >= start && from + index < end
    return isCut && !isSelected ? [{ text: '  …', style: 'dim' }] : row
  })
}
