// Hook that shows the live terminal of a job in an element, and sends what the person types, in its order. A stream
// that is lost is opened again after a delay. Used by job-terminal.tsx. Sends requests through use-console; sets
// timers; imports the part of the page with the terminal.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

import type { JobView, TerminalEvent } from '../view.js'
import { type ActionResult, textMember, toActionError } from './api.js'
import { createSseParser } from './event-connection.js'
import { usePageActivity } from './page-activity.js'
import type { TerminalDisplay } from './terminal/xterm-display.js'
import { type FetchJobOutput, type RunAction, useAction, useFetchJobOutput } from './use-console.js'
import { useTranslator } from './use-translator.js'

/** What the server accepts in one request. */
const MAX_TYPED = 8192
const RETRY_MS = 1000

export interface JobTerminalState {
  readonly isOpen: boolean
  readonly hasEnded: boolean
  readonly refused: ActionResult | undefined
}

export interface OpenedTerminal extends JobTerminalState {
  readonly focus: () => void
}

export function useJobTerminal(
  { server, id, terminal }: JobView,
  box: RefObject<HTMLElement | null>,
  onLeave: () => void,
): OpenedTerminal {
  const { translate } = useTranslator()
  const read = useFetchJobOutput()
  const act = useAction()
  const [state, setState] = useState<JobTerminalState>({ isOpen: false, hasEnded: false, refused: undefined })
  const leave = useRef(onLeave)
  leave.current = onLeave
  const shown = useRef<TerminalDisplay | undefined>(undefined)
  // Closing it would return control to the model.
  const isOn = usePageActivity() === 'shown' || terminal?.isUserTyping === true
  useEffect(() => {
    if (!isOn) return undefined
    const closing = new AbortController()
    const update = (change: Partial<JobTerminalState>): void => {
      if (!closing.signal.aborted) setState((before) => ({ ...before, ...change }))
    }
    const open = async (parent: HTMLElement): Promise<TerminalDisplay> => {
      const { openTerminalDisplay } = await import('./terminal/xterm-display.js')
      return openTerminalDisplay(parent, {
        label: translate('terminalInput'),
        tooMuchOutput: translate('terminalTooMuch'),
        onInput: createTypist(act, { server, id }, (refused) => update({ refused })),
        onLeave: () => leave.current(),
      })
    }
    const run = async (parent: HTMLElement): Promise<void> => {
      const display = await open(parent)
      closing.signal.addEventListener('abort', () => display.dispose())
      if (closing.signal.aborted) return display.dispose()
      update({ isOpen: true })
      shown.current = display
      const refused = await follow(read, { server, id }, display, closing.signal)
      update({ hasEnded: refused === undefined, refused })
    }
    if (box.current !== null) run(box.current).catch(() => update({ refused: NO_ANSWER }))
    return () => closing.abort()
  }, [read, act, server, id, box, translate, isOn])
  return { ...state, focus: () => shown.current?.focus() }
}

const NO_ANSWER: ActionResult = { ok: false, status: 0, message: null }

/** One request at a time, so that keys arrive in their order. */
function createTypist(
  act: RunAction,
  job: { readonly server: string; readonly id: number },
  report: (refused: ActionResult | undefined) => void,
): (text: string) => void {
  let waiting = ''
  let isSending = false
  const sendAll = async (): Promise<void> => {
    isSending = true
    while (waiting !== '') {
      const text = waiting.slice(0, MAX_TYPED).replace(/[\uD800-\uDBFF]$/, '')
      waiting = waiting.slice(text.length)
      const result = await act('type', { ...job, text })
      // What follows would be typed without what was refused.
      if (!result.ok) waiting = ''
      report(result.ok ? undefined : result)
    }
    isSending = false
  }
  return (text) => {
    waiting += text
    if (!isSending) void sendAll()
  }
}

/** Undefined if the program has ended. */
async function follow(
  read: FetchJobOutput,
  job: object,
  display: TerminalDisplay,
  signal: AbortSignal,
): Promise<ActionResult | undefined> {
  for (;;) {
    const result = await showStream(read, job, display, signal).catch(() => NO_ANSWER)
    if (signal.aborted || result === undefined || result.ok || result.status !== 0) return result
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

async function showStream(
  read: FetchJobOutput,
  job: object,
  display: TerminalDisplay,
  signal: AbortSignal,
): Promise<ActionResult | undefined> {
  const response = await read('terminal', job, signal)
  if (!response.ok || response.body === null) return toActionError(response)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const parser = createSseParser()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return NO_ANSWER
    for (const data of parser.push(value)) {
      const event: unknown = JSON.parse(data)
      const error = textMember(event, 'error')
      if (error !== null) return { ok: false, status: response.status, message: error }
      if (!isEvent(event)) continue
      // Not faster than it can be drawn.
      await display.show(event)
      if (event.isLast) return undefined
    }
  }
}

/** Comes from our own server, so a shallow check is enough. */
function isEvent(value: unknown): value is TerminalEvent {
  return typeof value === 'object' && value !== null && 'text' in value && 'cols' in value
}
