// Handler of ReadDocs: runs a call and formats its result as text. Loaded by the first call.

import { Failure } from '../lib/failure.js'
import { FetchFailure } from '../platform/way-out/fetch-failure.js'
import type { Documents } from '../services/documents/documents.js'
import { readWish, type Given } from '../services/documents/wish.js'
import type { Call } from './call.js'
import { heartbeatOf } from './heartbeat.js'
import type { Words } from './tool.js'
import { documentWords, failureWords, hasText, plainWords, titleOf } from './words/document.js'

export interface Said {
  readonly status: string
  readonly url: string
  readonly title: string
  readonly cursor: string | null
  readonly words: Words
}

export async function readFor(input: Given, documents: Documents, call: Call): Promise<Said> {
  const { user, client, signal } = call
  const heartbeat = heartbeatOf(call, 'Waiting for the page')
  try {
    const request = readWish(input)
    const document = await documents.read(request, { user, client, signal, tell: heartbeat.tell })
    const { verdict, copy, reading, extract, found, missing } = document
    return {
      status: missing ? 'no_section' : verdict.status,
      url: copy.url,
      title: reading ? titleOf(reading) : '',
      cursor: (extract ?? found)?.cursor || null,
      words: { content: documentWords(document, request), isError: !hasText(document) },
    }
  } catch (error) {
    if (!(error instanceof FetchFailure)) throw error instanceof Failure ? new Failure(plainWords(error)) : error
    const output = { content: failureWords(error), isError: true }
    return { status: error.problem, url: input.url, title: '', cursor: null, words: output }
  } finally {
    heartbeat.stop()
  }
}
