// A recorded call and how calls are selected, as plain JSON values: what the history stores and the console shows.
// Types only, because the page of the console uses them in browsers.

export interface CallView {
  /** Unique among all calls of the user. Ids of a later call of the same server are greater. */
  readonly id: string
  readonly server: string
  readonly project: string
  readonly session: string
  /** Name and version of the client, as it introduced itself; empty if unknown. */
  readonly client: string
  readonly tool: string
  /** Summary of the input. */
  readonly about: string
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'running'
  readonly startedAt: number
  readonly ms: number
  /** First line of the result of a failed call. */
  readonly error: string | null
}

/** Selects calls; conditions that are null do not restrict. */
export interface CallQuery {
  readonly project: string | null
  readonly session: string | null
  readonly tool: string | null
  readonly outcome: CallView['outcome'] | null
  /** Contained in the tool, the input or the text of the result, ignoring case. */
  readonly text: string | null
  /** Only calls that were listed after this one; the `next` of an earlier page. */
  readonly after: string | null
}

/** A call as it arrived, and its result as the model received it. */
export interface RecordedCall {
  readonly call: CallView
  /** Arguments as JSON, indented; empty if neither they nor the result are kept. */
  readonly input: string
  /** Characters that are not kept; also greater than 0 if a password in it was replaced. */
  readonly inputOmitted: number
  readonly blocks: readonly CallBlock[]
}

export type CallBlock =
  | { readonly type: 'text'; readonly text: string; readonly omitted: number }
  /** `data` is base64; null if the image was too large to be kept. */
  | { readonly type: 'image'; readonly mimeType: string; readonly bytes: number; readonly data: string | null }
  | { readonly type: 'other'; readonly name: string }
