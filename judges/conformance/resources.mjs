// What the fixture offers to read: text, bytes, something to watch, and a family of addresses.
import { defineResource, defineTemplate } from '../../dist/library.mjs'
import { pixel } from './pieces.mjs'

const text = defineResource({
  uri: 'test://static-text',
  name: 'static-text',
  title: 'Static text',
  description: 'A sentence.',
  mimeType: 'text/plain',
  read: () => 'This is the content of the static text resource.',
})

const binary = defineResource({
  uri: 'test://static-binary',
  name: 'static-binary',
  title: 'Static binary',
  description: 'A picture.',
  mimeType: 'image/png',
  read: () => Buffer.from(pixel, 'base64'),
})

const watched = defineResource({
  uri: 'test://watched-resource',
  name: 'watched-resource',
  title: 'Watched resource',
  description: 'Something to subscribe to.',
  mimeType: 'text/plain',
  read: () => 'Nothing has happened yet.',
})

const record = defineTemplate({
  uriTemplate: 'test://template/{id}/data',
  name: 'record',
  title: 'Record',
  description: 'The record with this id.',
  mimeType: 'application/json',
  read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
})

export const resources = [text, binary, watched]
export const templates = [record]
