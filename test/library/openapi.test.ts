// Tools from OpenAPI documents, called over the protocol against an API on this machine that shows what it was sent.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

import { describe, expect, test } from 'vitest'

import { connect, type JsonObject, type OpenApiOptions, serveHttp, toolsFromOpenApi } from '@scorpiox/app/library'
import type { Json } from '../support/client.js'
import { onClose } from '../support/on-close.js'

const string = { type: 'string' }
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })

const PETS = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'http://127.0.0.1:9/elsewhere' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'Lists pets.',
        tags: ['read'],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
          { name: 'tags', in: 'query', schema: { type: 'array', items: string } },
          { name: 'colors', in: 'query', explode: false, schema: { type: 'array', items: string } },
          { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
          { name: 'point', in: 'query', schema: { type: 'object' } },
          { name: 'X-Trace', in: 'header', schema: string },
          { name: 'X-Api-Key', in: 'header', schema: string },
          { name: 'Authorization', in: 'header', schema: string },
          { name: 'theme', in: 'cookie', schema: string },
        ],
      },
      post: {
        operationId: 'create pet!',
        description: 'Creates a pet.',
        requestBody: { required: true, ...json(ref('Pet')) },
      },
    },
    '/pets/{petId}': {
      parameters: [{ $ref: '#/components/parameters/PetId' }],
      get: { operationId: 'getPet' },
      delete: { operationId: 'deletePet', deprecated: true },
      put: {
        parameters: [
          { name: 'petId', in: 'query', schema: string },
          { name: 'body', in: 'query', schema: string },
        ],
        requestBody: { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } },
      },
    },
    '/pets/{petId}/photo': {
      post: {
        operationId: 'uploadPhoto',
        parameters: [{ $ref: '#/components/parameters/PetId' }],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { caption: string, file: { type: 'string', format: 'binary' } } },
            },
          },
        },
      },
    },
    '/answer/{kind}': { get: { operationId: 'answer', parameters: [{ name: 'kind', in: 'path', schema: string }] } },
  },
  components: {
    parameters: { PetId: { name: 'petId', in: 'path', required: true, schema: string, description: 'Its number.' } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string', example: 'Rex', 'x-mcp-header': 'Name' },
          owner: { ...string, nullable: true },
          kind: { type: 'string', enum: ['cat', 'dog'], nullable: true },
          friend: ref('Pet'),
          home: { nullable: true, allOf: [ref('Home')] },
        },
      },
      Home: { type: 'object', properties: { street: string } },
    },
  },
}

interface Api {
  readonly url: string
  readonly seen: Json[]
}

async function startApi(): Promise<Api> {
  const seen: Json[] = []
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { method, url = '', headers } = request
    seen.push({ method, url, headers, body })
    const kind = url.split('/').at(-1)?.split('?')[0] ?? ''
    const answers: Record<string, () => unknown> = {
      image: () => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from('hi')),
      binary: () => response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.alloc(9)),
      large: () => response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(2000)),
      empty: () => response.writeHead(204).end(),
      missing: () =>
        response
          .writeHead(404, { 'content-type': 'text/plain' })
          .end(`no ${String(headers['x-api-key'])} ${'y'.repeat(5000)}`),
      echo: () => response.writeHead(404, { 'content-type': 'text/plain' }).end(`${url} ${JSON.stringify(headers)}`),
      late: () =>
        response
          .writeHead(500, { 'content-type': 'text/plain' })
          .end(`${'x'.repeat(1994)}${String(headers['x-api-key'])}`),
      begun: () =>
        response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end(`${'x'.repeat(94)}${String(headers['x-api-key'])}${'x'.repeat(99)}`),
      compressed: () =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync('{}')),
      latin: () =>
        response
          .writeHead(200, { 'content-type': 'text/plain; charset=ISO-8859-1' })
          .end(Buffer.from('caf\u00e9', 'latin1')),
      untyped: () => response.writeHead(200).end(Buffer.from([0, 1, 255])),
      away: () => response.writeHead(302, { location: 'http://127.0.0.1:9/api/' }).end(),
      above: () => response.writeHead(302, { location: '/other' }).end(),
      near: () => response.writeHead(302, { location: '/api/answer/done' }).end(),
      silent: () => {},
    }
    const answer = answers[kind]
    if (answer) answer()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ url }))
  }
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onClose(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, seen }
}

async function pets(more: Partial<OpenApiOptions> = {}, document: object | string = PETS) {
  const api = await startApi()
  const tools = await toolsFromOpenApi(document, { baseUrl: api.url, headers: { 'X-Api-Key': 'secret-key' }, ...more })
  const client = await connect({ name: 'pets', version: '1', tools })
  onClose(() => client.close())
  const call = async (name: string, args: object = {}): Promise<Json> =>
    client.request('tools/call', { name, arguments: args })
  const text = async (name: string, args: object = {}): Promise<string> => (await call(name, args)).content[0].text
  return {
    api,
    tools,
    call,
    text,
    client,
    input: (name: string) => tools.find((tool) => tool.name === name)?.input as Json,
  }
}

const url = (api: Api): string => decodeURIComponent(api.seen.at(-1).url)

test('each operation becomes a tool', async () => {
  const { tools, input } = await pets()
  expect(tools.map(({ name, description, hints }) => [name, description, hints])).toEqual([
    ['listPets', 'Lists pets.', { readOnly: true }],
    ['create_pet', 'Creates a pet.', { readOnly: false }],
    ['getPet', 'GET /pets/{petId}', { readOnly: true }],
    ['put_pets_petId', 'PUT /pets/{petId}', { readOnly: false, idempotent: true }],
    ['deletePet', 'Deprecated. DELETE /pets/{petId}', { readOnly: false, idempotent: true }],
    ['uploadPhoto', 'POST /pets/{petId}/photo', { readOnly: false }],
    ['answer', 'GET /answer/{kind}', { readOnly: true }],
  ])
  // What the author sends, and credentials in general, are not asked of the model.
  expect(Object.keys(input('listPets').properties)).toEqual('limit tags colors filter point X-Trace theme'.split(' '))
  expect(input('listPets').properties.limit).toEqual({ type: 'integer', exclusiveMinimum: 0 })
  expect(input('getPet')).toEqual({
    type: 'object',
    properties: { petId: { type: 'string', description: 'Its number.' } },
    required: ['petId'],
    additionalProperties: false,
  })
  expect(Object.keys(input('put_pets_petId').properties)).toEqual(['petId', 'petId_query', 'body', 'body_content'])
})

test('schemas are converted: references, cycles, null and properties that only responses have', async () => {
  const { input } = await pets()
  const { body } = input('create_pet').properties
  expect(body.required).toEqual(['name'])
  expect(body.properties).toEqual({
    name: { type: 'string' },
    owner: { type: ['string', 'null'] },
    kind: { type: ['string', 'null'], enum: ['cat', 'dog', null] },
    friend: { $ref: '#/$defs/Pet' },
    home: { anyOf: [{ allOf: [{ type: 'object', properties: { street: { type: 'string' } } }] }, { type: 'null' }] },
  })
  expect(input('create_pet').$defs.Pet.properties.friend).toEqual({ $ref: '#/$defs/Pet' })
})

test('arguments go to their places', async () => {
  const { api, text, call } = await pets()
  await text('listPets', {
    limit: 5,
    tags: ['a', 'b&c'],
    colors: ['red', 'blue'],
    filter: { age: { min: 1 } },
    point: { x: 1, y: 2 },
    'X-Trace': 'abc',
    theme: 'dark blue',
  })
  expect(api.seen.at(-1)).toMatchObject({
    method: 'GET',
    headers: { 'x-trace': 'abc', 'x-api-key': 'secret-key', cookie: 'theme=dark%20blue' },
  })
  expect(url(api)).toBe('/api/pets?limit=5&tags=a&tags=b&c&colors=red,blue&filter[age][min]=1&x=1&y=2')
  await text('create_pet', { body: { name: 'Rex', friend: { name: 'Tom' } } })
  expect(api.seen.at(-1)).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
  expect(JSON.parse(api.seen.at(-1).body)).toEqual({ name: 'Rex', friend: { name: 'Tom' } })
  await text('put_pets_petId', { petId: '1', petId_query: '2', body: '3', body_content: { a: 'x y', b: [1, 2] } })
  expect(api.seen.at(-1)).toMatchObject({ url: '/api/pets/1?petId=2&body=3', body: 'a=x+y&b=1&b=2' })
  await text('uploadPhoto', { petId: '1', body: { caption: 'Rex', file: 'text of the file' } })
  expect(api.seen.at(-1).headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(api.seen.at(-1).body).toMatch(
    /name="caption"\r\n\r\nRex\r\n[^]*name="file"; filename="file.txt"\r\n[^]*text of the file/,
  )
  expect(await call('create_pet', { body: { name: 5 } })).toMatchObject({ isError: true })
})

test.each([
  ['../secret', '/api/pets/..%2Fsecret'],
  ['a/b?c#d', '/api/pets/a%2Fb%3Fc%23d'],
  ['%2e%2e', '/api/pets/%252e%252e'],
  ['a\r\nX: 1', '/api/pets/a%0D%0AX%3A%201'],
  ['//evil.example', '/api/pets/%2F%2Fevil.example'],
])('a value of a path stays in its place: %j', async (petId, path) => {
  const { api, text } = await pets()
  await text('getPet', { petId })
  expect(api.seen.map((request) => request.url)).toEqual([path])
})

test('lists in a query are separated as their style says, and their items are encoded', async () => {
  const array = { type: 'array', items: string }
  const list = (name: string, more: object): object => ({ name, in: 'query', explode: false, schema: array, ...more })
  const parameters = [
    list('csv', {}),
    list('spaces', { style: 'spaceDelimited' }),
    list('pipes', { style: 'pipeDelimited' }),
    { name: 'many[]', in: 'query', schema: array },
  ]
  const document = { openapi: '3.2.0', paths: { '/list': { get: { operationId: 'list', parameters } } } }
  const { api, text } = await pets({}, document)
  await text('list', { csv: ['a,b', 'c d'], spaces: ['e', 'f'], pipes: ['g', '\ud800'], 'many[]': ['h', 'i'] })
  expect(api.seen.at(-1).url).toBe(
    '/api/list?csv=a%2Cb,c%20d&spaces=e%20f&pipes=g%7C%EF%BF%BD&many%5B%5D=h&many%5B%5D=i',
  )
})

test('a variable of the path that the document does not declare is an argument', async () => {
  const { api, text, input } = await pets({}, { openapi: '3.0.0', paths: { '/a/{x}': { get: { operationId: 'a' } } } })
  expect(input('a')).toMatchObject({ properties: { x: { type: 'string' } }, required: ['x'] })
  await text('a', { x: 'b' })
  expect(api.seen.at(-1).url).toBe('/api/a/b')
})

test('a body that is neither JSON nor a form is text or base64, which the schema says', async () => {
  const bodyOf = (type: string, schema: object): object => ({ content: { [type]: { schema } } })
  const { api, call, text, input } = await pets(
    {},
    {
      openapi: '3.0.3',
      paths: {
        '/xml': { post: { operationId: 'xml', requestBody: bodyOf('application/xml', { type: 'object' }) } },
        '/zip': {
          put: { operationId: 'zip', requestBody: bodyOf('application/zip', { ...string, format: 'binary' }) },
        },
      },
    },
  )
  expect(input('xml').properties.body).toEqual({ type: 'string', description: 'The text, as application/xml.' })
  expect(input('zip').properties.body).toMatchObject({ description: 'The bytes in base64, of application/zip.' })
  await text('xml', { body: '<a/>' })
  expect(api.seen.at(-1)).toMatchObject({ body: '<a/>', headers: { 'content-type': 'application/xml' } })
  await text('zip', { body: 'aGk=' })
  expect(api.seen.at(-1)).toMatchObject({ body: 'hi', headers: { 'content-type': 'application/zip' } })
  expect(await call('zip', { body: 'no base64!' })).toMatchObject({
    content: [{ text: "'body' must be base64: the bytes of application/zip." }],
    isError: true,
  })
  expect(api.seen).toHaveLength(2)
})

test('files of a multipart body have names, objects are JSON, and types that the document declares are used', async () => {
  const schema = {
    type: 'object',
    properties: {
      file: ref('File'),
      photos: { type: 'array', items: { type: 'string', format: 'binary' } },
      raw: { contentMediaType: 'application/pdf' },
      meta: { type: 'object' },
      rows: string,
      note: string,
    },
  }
  const encoding = { rows: { contentType: 'text/csv' }, photos: { contentType: 'image/png, image/jpeg' } }
  const document = {
    openapi: '3.1.0',
    paths: {
      '/x': {
        post: {
          operationId: 'x',
          requestBody: { content: { 'multipart/form-data': { schema: ref('Upload'), encoding } } },
        },
      },
    },
    components: { schemas: { Upload: schema, File: { type: 'string', format: 'binary' } } },
  }
  const { call, api } = await pets({}, document)
  const body = { file: 'a', photos: ['b', 'c'], raw: 'd', meta: { e: 1 }, rows: 'f,g', note: 'h' }
  expect(await call('x', { body })).toMatchObject({ isError: false })
  const parts = String(api.seen[0].body)
    .split(/--part-[\w-]+(?:--)?\r\n/)
    .slice(1, -1)
  const file = (name: string, text: string): string =>
    `content-disposition: form-data; name="${name}"; filename="${name}.txt"\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`
  expect(parts).toEqual([
    file('file', 'a'),
    file('photos', 'b'),
    file('photos', 'c'),
    file('raw', 'd'),
    'content-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\n\r\n{"e":1}\r\n',
    'content-disposition: form-data; name="rows"; filename="rows.txt"\r\ncontent-type: text/csv\r\n\r\nf,g\r\n',
    'content-disposition: form-data; name="note"\r\n\r\nh\r\n',
  ])
})

test.each([
  ['*/*', { type: 'object' }, { a: 1 }, 'application/json', '{"a":1}'],
  ['application/*', { type: 'object' }, { a: 1 }, 'application/json', '{"a":1}'],
  ['*/*', string, 'aGk=', 'application/octet-stream', 'hi'],
  ['image/*', undefined, 'aGk=', 'application/octet-stream', 'hi'],
  ['text/*', string, 'hi', 'text/plain', 'hi'],
])('a body of the range %s and the schema %j is sent as one type', async (range, schema, body, type, sent) => {
  const requestBody = { content: { [range]: { schema } } }
  const document = { openapi: '3.1.0', paths: { '/x': { post: { operationId: 'x', requestBody } } } }
  const { call, api } = await pets({}, document)
  expect(await call('x', { body })).toMatchObject({ isError: false })
  expect([api.seen[0].headers['content-type'], api.seen[0].body]).toEqual([type, sent])
})

test.each(['..', '.', ''])('a path that would become another is refused: %j', async (petId) => {
  const { api, call } = await pets()
  expect(await call('getPet', { petId })).toMatchObject({ isError: true })
  expect(api.seen).toEqual([])
})

test.each([{ tenant: 'evil' }, { 'tenant[]': 'evil' }])(
  'an object cannot set what the address sets: %j',
  async (point) => {
    const api = await startApi()
    const { call } = await pets({ baseUrl: `${api.url}?tenant=acme` })
    expect(await call('listPets', { point })).toMatchObject({ isError: true })
    expect(await call('listPets', { point: { x: 1 } })).toMatchObject({ isError: false })
    expect(api.seen.map((request) => request.url)).toEqual(['/api/pets?tenant=acme&x=1'])
  },
)

test('a header cannot begin another', async () => {
  const { api, call } = await pets()
  expect(await call('listPets', { 'X-Trace': 'a\r\nX-Api-Key: mine' })).toMatchObject({ isError: true })
  expect(api.seen).toEqual([])
})

describe('responses', () => {
  test('JSON, images and others', async () => {
    const { call, text } = await pets({ maxBytes: 1000 })
    expect(await text('answer', { kind: 'json' })).toBe('{"url":"/api/answer/json"}')
    expect((await call('answer', { kind: 'image' })).content).toEqual([
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ])
    expect(await text('answer', { kind: 'binary' })).toContain(
      '9 bytes of application/octet-stream, which are not shown',
    )
    expect(await text('answer', { kind: 'empty' })).toBe('GET /answer/{kind} answered 204 No Content')
    expect(await text('answer', { kind: 'large' })).toMatch(/^x{1000}\n\[cut: the response has more than 1000 bytes\]$/)
  })

  test('errors are bounded and hide the credentials', async () => {
    const { call } = await pets()
    const { content, isError } = await call('answer', { kind: 'missing' })
    expect([isError, content[0].text.length < 2200]).toEqual([true, true])
    expect(content[0].text).toMatch(/^GET \/answer\/\{kind\} answered 404 Not Found: no \[hidden\] y+$/)
  })

  test('credentials are hidden as they are sent, and where the response is cut', async () => {
    const key = 'key/with+signs "and" spaces'
    const { text, api } = await pets({ headers: { 'X-Api-Key': 'k/e+y-of-ann' } })
    const withKey = await pets({ baseUrl: `${api.url}?key=${encodeURIComponent(key)}`, headers: { 'X-Api-Key': key } })
    const echo = await withKey.text('answer', { kind: 'echo' })
    expect(echo).toContain('/api/answer/echo?key=[hidden] {')
    expect(echo).toContain('"x-api-key":"[hidden]"')
    const withUser = await pets({ baseUrl: api.url.replace('//', '//ann:pass%20word@'), headers: {} })
    expect(await withUser.text('answer', { kind: 'echo' })).toContain('"authorization":"Basic [hidden]"')
    expect(await text('answer', { kind: 'late' })).toMatch(/: x{1994}\[hidde$/)
    const small = await pets({ headers: { 'X-Api-Key': 'k/e+y-of-ann' }, maxBytes: 100 })
    expect(await small.text('answer', { kind: 'begun' })).toMatch(/^x{94}\[hidden\]\n\[cut/)
  })

  test('text is read in its encoding; bytes without a type and compressed ones are not shown', async () => {
    const { text } = await pets()
    expect(await text('answer', { kind: 'latin' })).toBe('caf\u00e9')
    expect(await text('answer', { kind: 'untyped' })).toContain('3 bytes of an unknown type, which are not shown')
    expect(await text('answer', { kind: 'compressed' })).toContain('its response is compressed (gzip)')
  })

  test.each([Infinity, 2 ** 32])('a time limit of %d ms is none', async (timeoutMs) => {
    const { text } = await pets({ timeoutMs })
    expect(await text('answer', { kind: 'json' })).toContain('url')
  })

  test('a redirect is followed below the address only', async () => {
    const { api, call, text } = await pets()
    expect(await text('answer', { kind: 'near' })).toBe('{"url":"/api/answer/done"}')
    for (const kind of ['away', 'above']) {
      const { content, isError } = await call('answer', { kind })
      expect([isError, content[0].text]).toEqual([true, expect.stringContaining('which is not followed')])
    }
    expect(api.seen.map((request) => request.url)).not.toContain('/other')
  })

  test('an API that does not answer, and one that is not there', async () => {
    const { text } = await pets({ timeoutMs: 200 })
    expect(await text('answer', { kind: 'silent' })).toBe('GET /answer/{kind} did not answer within 1 s.')
    const gone = await pets({ baseUrl: 'http://127.0.0.1:1' })
    expect(await gone.text('getPet', { petId: '1' })).toContain('GET /pets/{petId} failed: ')
  })
})

test('operations are chosen and named', async () => {
  const namesWith = async (more: Partial<OpenApiOptions>): Promise<string[]> =>
    (await toolsFromOpenApi(PETS, { baseUrl: 'http://localhost', ...more })).map(({ name }) => name)
  expect(await namesWith({ include: ['read', 'GET /pets/{petId}'] })).toEqual(['listPets', 'getPet'])
  expect(await namesWith({ include: ({ method }) => method === 'GET', exclude: ['answer'] })).toEqual([
    'listPets',
    'getPet',
  ])
  expect(
    await namesWith({ include: ['getPet', 'answer'], names: { getPet: 'pet', 'GET /answer/{kind}': 'pet' } }),
  ).toEqual(['pet', 'pet_2'])
})

test.each<[Partial<OpenApiOptions>, string]>([
  [{ exclude: ['deletePets'] }, 'exclude has names that no operation of the document has: deletePets'],
  [{ include: ['read', 'GET /pet'] }, 'include has names that no operation of the document has: GET /pet'],
  [{ names: { get_pet: 'pet' } }, 'names has names that no operation of the document has: get_pet'],
  [{ baseUrl: '/v1' }, 'baseUrl must be the address of the API, such as https://api.example.com/v1, not /v1'],
  [{ headers: JSON.parse('{ "x-key": null, "x-other": "a" }') }, 'headers without a text as their value: x-key'],
])('a mistake in the options is reported at once: %j', async (options, reason) => {
  await expect(toolsFromOpenApi(PETS, { baseUrl: 'http://localhost', ...options })).rejects.toThrow(reason)
})

test('headers may depend on the caller, and a key may be in the address', async () => {
  const api = await startApi()
  const headers = ({ user }: { user: string }): Record<string, string> => ({ authorization: `Bearer token-of-${user}` })
  const document = {
    openapi: '3.1.0',
    paths: { '/me': { get: { operationId: 'me', parameters: [{ name: 'key', in: 'query', schema: string }] } } },
  }
  const tools = await toolsFromOpenApi(JSON.stringify(document), { baseUrl: `${api.url}?key=k1`, headers })
  expect(tools[0]?.input).toMatchObject({ properties: {} })
  const server = await serveHttp({ name: 'api', version: '1', tools, http: { auth: (token) => token || undefined } })
  onClose(() => server.close())
  for (const user of ['ann', 'bob']) {
    await fetch(server.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${user}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'me' } }),
    }).then((response) => response.text())
  }
  expect(api.seen.map((request) => [request.url, request.headers.authorization])).toEqual([
    ['/api/me?key=k1', 'Bearer token-of-ann'],
    ['/api/me?key=k1', 'Bearer token-of-bob'],
  ])
})

test('3.1: types with null, const and definitions beside a reference', async () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: ['string', 'null'], examples: ['x'] },
      b: { const: 5 },
      c: { ...ref('Tree'), description: 'The tree.' },
      d: { pattern: '(' },
      e: { $ref: 'https://example.com/other.json' },
    },
  }
  const Tree = { type: 'object', properties: { children: { type: 'array', items: ref('Tree') } } }
  const document = {
    openapi: '3.1.0',
    paths: { '/x': { post: { operationId: 'x', requestBody: json(schema) } } },
    components: { schemas: { Tree } },
  }
  const { input, call, api } = await pets({}, document)
  expect(input('x').properties.body.properties).toMatchObject({
    a: { type: ['string', 'null'] },
    b: { const: 5 },
    c: { description: 'The tree.', properties: { children: { items: { $ref: '#/$defs/Tree' } } } },
    d: {},
    e: {},
  })
  const body = { a: null, c: { children: [{ children: [{ children: [] }] }] } }
  expect(await call('x', { body })).toMatchObject({ isError: false })
  expect(JSON.parse(api.seen[0].body)).toEqual(body)
  expect(await call('x', { body: { c: { children: [{ children: 5 }] } } })).toMatchObject({ isError: true })
})

test('3.1: keywords beside a reference apply', async () => {
  const schema = {
    $ref: '#/components/schemas/Base',
    properties: { extra: { type: 'integer' } },
    required: ['extra'],
  }
  const color = { name: 'color', in: 'query', schema: { ...ref('Color'), default: 'red' } }
  const document = {
    openapi: '3.1.0',
    paths: { '/x': { post: { operationId: 'x', parameters: [color], requestBody: json(schema) } } },
    components: { schemas: { Base: { type: 'object', properties: { id: string } }, Color: { enum: ['red', 'blue'] } } },
  }
  const { input, call } = await pets({}, document)
  expect(input('x').properties.color).toEqual({ enum: ['red', 'blue'], default: 'red' })
  expect(input('x').properties.body).toEqual({
    allOf: [{ type: 'object', properties: { id: string } }],
    properties: { extra: { type: 'integer' } },
    required: ['extra'],
  })
  expect(await call('x', { body: { id: 'a' } })).toMatchObject({ isError: true })
  expect(await call('x', { body: { id: 5, extra: 1 } })).toMatchObject({ isError: true })
  expect(await call('x', { body: { id: 'a', extra: 1 } })).toMatchObject({ isError: false })
})

describe('documents that are wrong or hostile', () => {
  test.each([
    ['openapi: 3.0.0\npaths: {}', 'is not JSON; parse YAML first'],
    ['[]', 'must be an object'],
    [{ swagger: '2.0' }, 'is Swagger 2.0: convert it'],
    [{ openapi: '4.0.0' }, '"openapi": "3.0.x", "3.1.x" or "3.2.x"'],
  ])('%j', async (document, reason) => {
    await expect(toolsFromOpenApi(document, { baseUrl: 'http://localhost' })).rejects.toThrow(reason)
  })

  test('10,000 operations are refused, unless some are chosen', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [
        `/p${index}`,
        { get: { operationId: `op${index}`, tags: [`t${index % 100}`] } },
      ]),
    )
    const document = { openapi: '3.0.0', paths }
    const options = { baseUrl: 'http://localhost' }
    await expect(toolsFromOpenApi(document, options)).rejects.toThrow('10000 operations, and there may be 1000 tools')
    expect(await toolsFromOpenApi(document, { ...options, include: ['t5'] })).toHaveLength(100)
  })

  test('references that grow without end stay small', async () => {
    const schemas: Record<string, JsonObject> = {}
    for (let level = 0; level < 60; level++) {
      const next = ref(`L${level + 1}`)
      schemas[`L${level}`] = { type: 'object', properties: { a: next, b: next, c: next } }
    }
    schemas.Loop = { $ref: '#/components/schemas/Loop' }
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 2000; level++) deep = { type: 'array', items: deep }
    const properties = { all: ref('L0'), loop: ref('Loop'), none: ref('None'), proto: { $ref: '#/__proto__/x' }, deep }
    const document = {
      openapi: '3.0.0',
      paths: {
        '/x': { post: { operationId: 'x', requestBody: json({ type: 'object', properties }) } },
        '/loop': { $ref: '#/paths/~1loop' },
      },
      components: { schemas },
    }
    const { input, call } = await pets({}, document)
    expect(JSON.stringify(input('x')).length).toBeLessThan(100_000)
    expect(await call('x', { body: { all: { a: {} } } })).toMatchObject({ isError: false })
  })
})
