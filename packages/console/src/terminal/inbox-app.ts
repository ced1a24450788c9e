// The frame of the inbox: a list, the pane of its selected item beside it on a wide terminal or in its place on a narrow
// one, a status line and the keys. Redraws when the view changes; passes keys to what has the focus, one after the
// other. Created by inbox-command.ts, used by the screens. Reads and writes the terminal. Sets a timer.

import { Failure } from '@scorpiox/mcp/errors'
import { toPrintableLines } from '@scorpiox/server/terminal/text-layout'
import { type BottomPrompt, createConfirmation, createTextPrompt, type TextRequest } from './bottom-prompt.js'
import { drawFooter, drawFrame, drawKeys, type FrameParts, isWide } from './draw-frame.js'
import type { FullScreen } from './full-screen.js'
import type { InboxTranslator } from './inbox-context.js'
import type { Key } from './keys.js'
import { createLevel, type Level } from './level.js'
import { createScroller, type KeyBinding, type ListScreen } from './pane.js'
import { type Area, type Row, rowText, type StyleCode } from './rows.js'

/** How often it is checked whether times on the screen have changed. */
const REDRAW_MS = 500

/** What screens may do. */
export interface InboxUi {
  /** Opens a list above the current one. */
  open(list: ListScreen): void
  /** Opens an item of the current list as soon as it is listed, unless a key is pressed before. */
  openWhenListed(value: string): void
  /** Returns the focus to the list. */
  closePane(): void
  setStatus(text: string): void
  redraw(): void
  /**
   * Runs an action. Its text, or else `successText`, becomes the status line, or the message of a failure. Keys that were
   * pressed meanwhile are discarded, because they were meant for what was there before.
   */
  run(action: () => Promise<string | void>, successText?: string): Promise<boolean>
  confirm(question: string, yes: string): Promise<boolean>
  /** Undefined if it was cancelled. */
  enterText(request: TextRequest): Promise<string | undefined>
  /** Prints a whole text on the main screen, where it can be scrolled. */
  showFullText(text: string): Promise<void>
  /** Leaves the terminal to something else. */
  away<T>(work: (screen: FullScreen) => Promise<T>): Promise<T>
}

export interface InboxApp extends InboxUi {
  /** Resolves when the user quits. */
  start(home: ListScreen): Promise<void>
  close(): void
}

export interface InboxAppDeps {
  readonly screen: FullScreen
  readonly translator: InboxTranslator
  readonly styleCode: StyleCode
  /** The part of the first line after the title. */
  readonly headline: () => string
}

export function createInboxApp({ screen, translator, styleCode, headline }: InboxAppDeps): InboxApp {
  const { translate } = translator
  let levels: readonly Level[] = []
  let prompt: BottomPrompt | undefined
  let statusLine = ''
  let isHelpShown = false
  const helpScroller = createScroller(translator)
  /** The item that openWhenListed waits for. */
  let awaitedItem: string | undefined
  let isAway = false
  let isClosed = false
  let busy: Promise<void> | undefined
  let keys: Key[] = []
  let isDrawScheduled = false
  let resolveEnd: (() => void) | undefined
  const timer = setInterval(draw, REDRAW_MS)
  const stopResizing = screen.onResize(scheduleDraw)
  screen.onKey((key) => {
    keys.push(key)
    handleKeys()
  })

  const top = (): Level | undefined => levels.at(-1)

  function quit(): void {
    close()
    resolveEnd?.()
  }

  function close(): void {
    isClosed = true
    clearInterval(timer)
    stopResizing()
    for (const level of levels) level.hidePane()
  }

  function scheduleDraw(): void {
    if (isDrawScheduled) return
    isDrawScheduled = true
    setImmediate(() => {
      isDrawScheduled = false
      draw()
    })
  }

  function open(list: ListScreen): void {
    top()?.hidePane()
    levels = [...levels, createLevel(list)]
    list.show?.()
    scheduleDraw()
  }

  function back(): void {
    const level = top()
    if (level?.isPaneFocused) return void (statusLine = level.leavePane())
    if (!level || levels.length === 1) return quit()
    level.hidePane()
    level.list.hide?.()
    levels = levels.slice(0, -1)
  }

  function openAwaitedItem(level: Level): void {
    if (awaitedItem === undefined || !level.list.items().some(({ value }) => value === awaitedItem)) return
    level.cursor.select(awaitedItem)
    level.focusPane()
    awaitedItem = undefined
  }

  function openSelected(level: Level): void {
    const item = level.cursor.selected()
    if (!item) return
    if (!level.list.items().some(({ value }) => value === item.value)) statusLine = translate('isOver')
    else if (item.pane) level.focusPane()
    else if (item.open) open(item.open())
  }

  function bindings(): readonly KeyBinding[] {
    if (prompt) return prompt.bindings()
    if (isHelpShown) return [closeHelp, quitKey, ...helpScroller.bindings(translate('scroll'))]
    const level = top()
    return level ? focusBindings(level) : [quitKey]
  }

  function focusBindings(level: Level): readonly KeyBinding[] {
    const own = level.isPaneFocused ? (level.pane?.bindings() ?? []) : listBindings(level)
    const isTop = levels.length === 1 && !level.isPaneFocused
    const backKey = {
      keys: ['escape', 'left', 'h'],
      hint: 'Esc',
      label: translate('back'),
      isEssential: true,
      run: () => back(),
    }
    const ends = isTop ? [quitAtTop] : own.some((each) => each.keys.includes('escape')) ? [quitKey] : [backKey, quitKey]
    return [...own.filter(({ isMinor }) => !isMinor), ...ends, ...own.filter(({ isMinor }) => isMinor), helpKey]
  }

  function listBindings(level: Level): readonly KeyBinding[] {
    const item = level.cursor.selected()
    const opens: readonly KeyBinding[] =
      item?.pane || item?.open
        ? [
            {
              keys: ['enter', 'right', 'l'],
              hint: 'Enter',
              label: translate('open'),
              run: () => openSelected(level),
            },
          ]
        : []
    return [
      ...level.cursor.bindings(translate('move')),
      ...opens,
      ...level.directBindings(),
      ...(level.list.bindings?.(item) ?? []),
    ]
  }

  const quitKey: KeyBinding = { keys: ['q'], hint: 'q', label: translate('quit'), isEssential: true, run: quit }
  const quitAtTop: KeyBinding = { ...quitKey, keys: ['q', 'escape'], hint: 'q/Esc' }
  const helpKey: KeyBinding = {
    keys: ['?'],
    hint: '?',
    label: translate('keys'),
    isEssential: true,
    run() {
      isHelpShown = true
      helpScroller.toStart()
    },
  }
  const closeHelp: KeyBinding = {
    keys: ['escape', 'enter', '?'],
    hint: 'Esc',
    label: translate('back'),
    run: () => void (isHelpShown = false),
  }

  /** Keys wait while an action runs, except for what it asks. */
  function handleKeys(): void {
    for (let key = nextKey(); key; key = nextKey()) press(key)
    scheduleDraw()
  }

  function nextKey(): Key | undefined {
    return !isClosed && (!busy || prompt) ? keys.shift() : undefined
  }

  function press(key: Key): void {
    const binding = bindings().find((each) => each.keys.includes(key.name))
    if (!prompt) statusLine = ''
    awaitedItem = undefined
    if (!binding) return prompt?.type(key)
    const done = binding.run(key.name)
    if (!prompt && !done) drawNow()
    if (!done) return
    // What a prompt answers belongs to the action that opened it.
    busy = done
      .catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        statusLine = toPrintableLines(error.message).join(' ')
      })
      .finally(() => {
        busy = undefined
        drawNow()
        handleKeys()
      })
  }

  /** The next key depends on what this one has changed. */
  function drawNow(): void {
    if (keys.length > 0) draw()
  }

  function ask<T>(create: (close: (answer: T) => void) => BottomPrompt): Promise<T> {
    return new Promise((resolve) => {
      const outer = prompt
      prompt = create((answer) => {
        prompt = outer
        resolve(answer)
      })
      handleKeys()
    })
  }

  async function away<T>(work: (on: FullScreen) => Promise<T>): Promise<T> {
    isAway = true
    try {
      return await work(screen)
    } finally {
      isAway = false
      scheduleDraw()
    }
  }

  function draw(): void {
    const level = top()
    if (!level || isAway || isClosed) return
    openAwaitedItem(level)
    const { rows, cursor } = drawFrame({ columns: screen.columns(), rows: screen.rows() }, frameParts(level), styleCode)
    screen.draw(rows, cursor)
  }

  function drawHelp(level: Level, { columns, rows }: Area): readonly Row[] {
    const keyRows = helpScroller.cut(drawKeys(focusBindings(level), columns), Math.max(1, rows - 1))
    return [[{ text: translate('keys'), style: 'bold' }], ...keyRows]
  }

  function frameParts(level: Level): FrameParts {
    const title = [{ text: level.list.title(), style: 'bold' } as const, ` · ${headline()}`]
    return {
      title,
      status: statusLine,
      prompt,
      bindings,
      help: isHelpShown ? (area) => drawHelp(level, area) : undefined,
      isRightToLeft: translator.direction === 'rtl',
      drawList(area) {
        const heading = (level.list.heading?.(area.columns) ?? []).slice(0, Math.floor(area.rows / 2))
        const lines = level.cursor.draw({ ...area, rows: area.rows - heading.length })
        level.updatePane(isWide(screen.columns()))
        return [...heading.map((row) => ({ row, isSelected: false })), ...lines]
      },
      drawPane: (area: Area) => level.pane?.draw(area, level.isPaneFocused && !prompt),
      isPaneFocused: level.isPaneFocused,
    }
  }

  return {
    start(home) {
      open(home)
      return new Promise((resolve) => (resolveEnd = resolve))
    },
    close,
    open,
    openWhenListed: (value) => void (awaitedItem = value),
    closePane: () => void top()?.leavePane(),
    setStatus: (text) => void (statusLine = text),
    redraw: scheduleDraw,
    async run(action, successText = '') {
      try {
        statusLine = (await action()) ?? successText
        return true
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        statusLine = toPrintableLines(error.message).join(' ')
        return false
      } finally {
        keys = []
        scheduleDraw()
      }
    },
    confirm: (question, yes) => ask((answer) => createConfirmation(translator, { question, yes }, answer)),
    enterText: (request) => ask((answer) => createTextPrompt(translator, request, answer)),
    showFullText: (text) =>
      away(async (on) => {
        await ask<undefined>((answer) => {
          const leave = { ...closeHelp, keys: ['escape', 'enter', 'space'], run: () => answer(undefined) }
          const end = `── ${translate('endReached')}  ${drawFooter([leave, quitKey], screen.columns(), 1).map(rowText).join('')}`
          on.printOnMainScreen(`${toPrintableLines(text).join('\n').trimEnd()}\n${end}\n`)
          return { isTyping: false, draw: () => ({ rows: [] }), bindings: () => [leave, quitKey], type() {} }
        })
      }),
    away,
  }
}
