// Shows a view of MCP Apps in the app that called its tool: connects to it, follows its colours, language and size, and
// gives the view the arguments and the result of the call. Used by the views in this folder. Changes the document; sends
// messages through app-host.ts.

import { type ComponentType, render } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import { stripControls } from '../components/strip-controls.js'
import { UntrustedText } from '../components/text.js'
import { TranslatorProvider, useTranslator } from '../use-translator.js'
import { type AppHost, connectToHost, type Fields } from './app-host.js'
import {
  applyContext,
  canBeFullscreen,
  createHostTranslator,
  type HostContext,
  type ToolCallResult,
} from './host-context.js'

export interface AppViewProps {
  readonly host: AppHost
  readonly input: Fields
  /** Undefined while the call runs. */
  readonly result: ToolCallResult | undefined
  readonly context: HostContext
}

interface AppFrameProps {
  readonly name: string
  /** The heading, for screen readers. */
  readonly title: TranslationKey
  readonly view: ComponentType<AppViewProps>
}

export function renderApp(name: string, title: TranslationKey, view: ComponentType<AppViewProps>): void {
  const root = document.getElementById('app')
  if (root !== null) render(<AppFrame name={name} title={title} view={view} />, root)
}

interface CallState {
  readonly input?: Fields
  readonly result?: ToolCallResult
  readonly isCancelled?: boolean
}

function AppFrame({ name, title, view: View }: AppFrameProps) {
  const [host, setHost] = useState<AppHost>()
  const [refused, setRefused] = useState<string>()
  const [context, setContext] = useState<HostContext>({})
  const [call, setCall] = useState<CallState>({})
  const { locale } = context
  const translator = useMemo(() => createHostTranslator({ locale }), [locale])
  useEffect(() => {
    const update = (change: CallState): void => setCall((before) => ({ ...before, ...change }))
    void connectToHost(name, {
      onContext: setContext,
      onInput: (input) => update({ input }),
      onResult: (result) => update({ result }),
      onCancelled: () => update({ isCancelled: true }),
    }).then(setHost, ({ message }: Error) => setRefused(message))
  }, [name])
  useEffect(() => applyContext(context, translator), [context, translator])
  useHostLinks(host)
  const frame = useReportedSize(host)
  const { input, result, isCancelled = false } = call
  return (
    <TranslatorProvider value={translator}>
      <div ref={frame} class="app">
        <h1 class="unseen">{translator.translate(title)}</h1>
        {refused !== undefined ? (
          <Problem text={refused} />
        ) : host === undefined || (input === undefined && result === undefined) ? (
          <Loading />
        ) : (
          <>
            {result?.isError === true && <Problem text={result.text} />}
            {isCancelled && result === undefined && <Cancelled />}
            <View host={host} input={input ?? {}} result={result} context={context} />
          </>
        )}
      </div>
    </TranslatorProvider>
  )
}

export function Loading() {
  const { translate } = useTranslator()
  return (
    <p class="quiet" role="status">
      {translate('loading')}
    </p>
  )
}

function Cancelled() {
  const { translate } = useTranslator()
  return <p class="quiet">{translate('appCancelled')}</p>
}

/** A message of the server, in English. */
export function Problem({ text }: { readonly text: string }) {
  return (
    <div role="alert">
      {text !== '' && (
        <p class="mistake">
          <UntrustedText text={text} lang="en" />
        </p>
      )}
    </div>
  )
}

/** The result as the model got it, where the data of the view cannot be read. */
export function ResultText({ result }: Pick<AppViewProps, 'result'>) {
  return result === undefined ? <Loading /> : <pre tabIndex={0}>{stripControls(result.text)}</pre>
}

/** The last read has failed: what is shown may have changed. */
export function NotUpToDate() {
  const { translate } = useTranslator()
  return (
    <p class="quiet" role="status">
      {translate('appNotUpToDate')}
    </p>
  )
}

/** A button for the full screen, if the app has one. */
export function FullscreenButton({ host, context }: Pick<AppViewProps, 'host' | 'context'>) {
  const { translate } = useTranslator()
  if (!canBeFullscreen(context)) return null
  const isFull = context.displayMode === 'fullscreen'
  return (
    <button
      class="button small"
      type="button"
      aria-pressed={isFull}
      onClick={() => void host.setDisplayMode(isFull ? 'inline' : 'fullscreen')}
    >
      {translate('appFullscreen')}
    </button>
  )
}

/** A link in the frame may do nothing, so the host opens it. */
function useHostLinks(host: AppHost | undefined): void {
  useEffect(() => {
    if (host?.canOpenLinks !== true) return undefined
    const open = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link === null) return
      event.preventDefault()
      void host.openLink(link.href)
    }
    addEventListener('click', open)
    return () => removeEventListener('click', open)
  }, [host])
}

/** Tells the host the size of the content after each change. */
function useReportedSize(host: AppHost | undefined) {
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (host === undefined || frame.current === null) return undefined
    const content = frame.current
    let last = ''
    const report = (): void => {
      const size = { width: innerWidth, height: Math.ceil(content.getBoundingClientRect().height) }
      if (last === JSON.stringify(size)) return
      last = JSON.stringify(size)
      host.reportSize(size)
    }
    const observer = new ResizeObserver(report)
    observer.observe(content)
    return () => observer.disconnect()
  }, [host])
  return frame
}
