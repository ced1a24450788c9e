// Tools that answer by themselves: every kind of content, an error, progress, log lines, a dropped connection, and the
// two input schemas a server must hand on as they were written.
import { Failure } from '../../dist/library.mjs'
import { pause, pixel, silence, tool } from './pieces.mjs'

const image = { type: 'image', data: pixel, mimeType: 'image/png' }

// The suite calls whichever tool is listed first, without arguments: this one.
const text = tool('test_simple_text', 'Answers with a sentence.', {
  run: () => 'This is a simple text response for testing.',
})

const picture = tool('test_image_content', 'Answers with an image.', { run: () => [image] })

const sound = tool('test_audio_content', 'Answers with a sound.', {
  run: () => [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
})

const embedded = tool('test_embedded_resource', 'Answers with a resource.', {
  run: () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ],
})

const mixed = tool('test_multiple_content_types', 'Answers with text, an image and a resource.', {
  run: () => [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      },
    },
  ],
})

const failing = tool('test_error_handling', 'Fails in a way the model should read.', {
  run: () => {
    throw new Failure('This tool intentionally returns an error for testing')
  },
})

const logging = tool('test_tool_with_logging', 'Writes three lines to the log.', {
  run: async (_input, call) => {
    call.log('info', 'Tool execution started')
    await pause(50, call)
    call.log('info', 'Tool processing data')
    await pause(50, call)
    call.log('info', 'Tool execution completed')
    return 'Logged three lines.'
  },
})

// Called without a log level: not one of the lines may arrive.
const unrequestedLogging = tool('test_logging_tool', 'Writes to the log if the client set a log level.', {
  run: (_input, call) => {
    for (const level of ['debug', 'info', 'error']) call.log(level, `a line of level ${level}`)
    return 'Logged.'
  },
})

const stepwise = tool('test_tool_with_progress', 'Reports progress from 0 to 100.', {
  run: async (_input, call) => {
    for (const done of [0, 50, 100]) {
      call.progress(done, { total: 100, message: `Completed step ${done} of 100` })
      if (done < 100) await pause(50, call)
    }
    return 'Done in three steps.'
  },
})

const dropping = tool(
  'test_reconnection',
  'Closes the connection during the call; the answer waits until the client reconnects.',
  {
    run: async (_input, call) => {
      call.closeConnection()
      await pause(200, call)
      return 'Answered after the connection was closed.'
    },
  },
)

const demanding = tool('test_missing_capability', 'Works only for clients that offer their model.', {
  requires: { sampling: {} },
  run: () => 'The client offers its model.',
})

const mirrored = tool('test_custom_headers', 'Takes arguments that a client repeats in the headers of its request.', {
  input: {
    type: 'object',
    properties: {
      region: { type: 'string', description: 'Where to look.', 'x-mcp-header': 'Region' },
      copies: { type: 'integer', description: 'How many.', 'x-mcp-header': 'Copies' },
    },
    required: ['region'],
  },
  run: ({ region, copies = 1 }) => `${copies} from ${region}`,
})

const contact = tool('json_schema_2020_12_tool', 'Tool with JSON Schema 2020-12 features', {
  input: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called that
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
  run: ({ phone, email }) => `Reachable at ${phone ?? email}.`,
})

export const plainTools = [
  text,
  picture,
  sound,
  embedded,
  mixed,
  failing,
  logging,
  unrequestedLogging,
  stepwise,
  dropping,
  demanding,
  mirrored,
  contact,
]
