// The pane of a call: its arguments, its result as the model received it, and running it again. Opened by
// calls-screen.ts. Reads and runs calls through the console.

import { Failure } from '@scorpiox/mcp/errors'
import { showControlCharacters } from '@scorpiox/server/terminal/text-layout'
import type { CallBlock, CallDetails, CallView } from '../view.js'
import { formatCallState, formatProjectName, isOfGoneServer, joinParts, sanitizeLine } from './format-view.js'
import type { InboxContext, InboxTranslator } from './inbox-context.js'
import type { KeyBinding, Pane } from './pane.js'
import { type Row, wrapText } from './rows.js'
import { listKeptImages, saveImage } from './save-output.js'
import { createTextPane } from './text-pane.js'

const RERUN_PROBLEMS = {
  gone: 'callRerunGone',
  incomplete: 'callRerunIncomplete',
  tool: 'callRerunTool',
} as const

/** `note`: the first line, about the place where the call is listed. */
export function createCallPane(context: InboxContext, shown: CallView, note?: () => string): Pane {
  const { ui, translator, userConsole, view } = context
  const { translate } = translator
  /** The call, or the one that ran it again. */
  let call = shown
  let details: CallDetails | undefined
  let problem = ''
  let isLoading = false
  /** What was loaded: the result of a call is loaded again when it has ended, and whether it can run again when its server connects or exits. */
  let loadedState: string | undefined

  /** As the view lists it now; older calls are not listed there. */
  const latest = (): CallView =>
    view().calls.find(({ id, project }) => id === call.id && project === call.project) ?? details?.call ?? call

  function stateOf({ outcome, server }: CallView): string {
    return `${outcome} ${view().servers.some(({ id, isGone }) => id === server && !isGone)}`
  }

  async function load(): Promise<void> {
    isLoading = true
    const state = stateOf(latest())
    try {
      details = await userConsole.readCall(call)
      problem = ''
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      problem = error.message
    }
    loadedState = state
    isLoading = false
    ui.redraw()
  }

  async function rerun(): Promise<void> {
    const question = translate('rerunAsk', { tool: sanitizeLine(call.tool), about: sanitizeLine(call.about) })
    if (!(await ui.confirm(`${question}\n${translate('callRerunMeans')}`, translate('callRerun')))) return
    await ui.run(async () => {
      details = await userConsole.rerunCall(call)
      call = details.call
      loadedState = stateOf(call)
    }, translate('rerunStarted'))
  }

  function headingRows(columns: number): readonly Row[] {
    const current = latest()
    const { client, session, project, error, startedAt } = current
    const facts = joinParts(
      formatProjectName(project),
      sanitizeLine(client),
      translate('sessionId', { id: sanitizeLine(session) }),
      translator.formatDateTime(startedAt),
    )
    const gone = isOfGoneServer(view(), current) ? wrapText(translate('serverGone'), columns, 'warning') : []
    return [
      ...(note ? wrapText(note(), columns) : []),
      ...wrapText(joinParts(sanitizeLine(current.tool), formatCallState(current, translator)), columns, 'accent'),
      ...wrapText(facts, columns, 'dim'),
      ...gone,
      ...(error === null ? [] : wrapText(sanitizeLine(error), columns, 'bad')),
      ...(details?.rerunProblem ? wrapText(translate(RERUN_PROBLEMS[details.rerunProblem]), columns, 'dim') : []),
    ]
  }

  function bodyRows(columns: number): readonly Row[] {
    if (!isLoading && problem === '' && loadedState !== stateOf(latest())) void load()
    if (problem !== '') return wrapText(problem, columns, 'bad')
    if (!details) return wrapText(translate('loading'), columns, 'dim')
    return detailParts(details, translator)
      .flatMap((part) => partRows(part, columns))
      .slice(1)
  }

  function bindings(): readonly KeyBinding[] {
    if (!details) return []
    const { rerunProblem, blocks } = details
    const images = listKeptImages(blocks)
    const save = async (): Promise<void> => {
      for (const image of images) await saveImage(context, image)
    }
    const text = detailParts(details, translator)
      .map(({ title, text: content }) => `${title}\n${showControlCharacters(content)}`)
      .join('\n\n')
    return [
      ...(rerunProblem === null ? [{ keys: ['r'], hint: 'r', label: translate('rerunMore'), run: rerun }] : []),
      { keys: ['o'], hint: 'o', label: translate('readAll'), run: () => ui.showFullText(text) },
      ...(images.length > 0 ? [{ keys: ['s'], hint: 's', label: translate('saveImageMore'), run: save }] : []),
    ]
  }

  return createTextPane(context, { heading: headingRows, body: bodyRows, bindings })
}

function partRows({ title, text }: DetailPart, columns: number): readonly Row[] {
  return [[], [{ text: title, style: 'bold' }], ...wrapText(showControlCharacters(text), columns)]
}

interface DetailPart {
  readonly title: string
  readonly text: string
}

function detailParts(
  { call, input, inputOmitted, blocks }: CallDetails,
  translator: InboxTranslator,
): readonly DetailPart[] {
  const { translate } = translator
  if (input === '') return [{ title: translate('callInput'), text: translate('callDetailsMissing') }]
  const result = blocks.map((block) => blockText(block, translator)).join('\n')
  return [
    { title: translate('callInput'), text: withOmitted(input, inputOmitted, translator) },
    {
      title: translate('callResult'),
      text: result === '' ? translate(call.outcome === 'running' ? 'callStillRuns' : 'callNoResult') : result.trimEnd(),
    },
  ]
}

function blockText(block: CallBlock, translator: InboxTranslator): string {
  if (block.type === 'text') return withOmitted(block.text, block.omitted, translator)
  if (block.type === 'other') return `[${block.name}]`
  return `[${translator.translate('callImageNote', { type: block.mimeType, size: translator.formatBytes(block.bytes) })}]`
}

function withOmitted(text: string, omitted: number, { translate }: InboxTranslator): string {
  return omitted > 0 ? `${text}\n[${translate('callOmittedNote', { n: omitted })}]` : text
}
