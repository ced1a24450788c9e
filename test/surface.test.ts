// What clients see of each tool, as a snapshot: `npm run generate` writes the files. The published contract is checked
// as well: names, parameters, types, `required` and the first sentence.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { type Json, startServer } from './support/client.js'

const FOLDER = join(import.meta.dirname, 'surface')

interface Published {
  readonly sentence: string
  readonly parameters: Record<string, 'string' | 'integer'>
  readonly required: readonly string[]
}

const PUBLISHED: Record<string, Published> = {
  Bash: {
    sentence: 'Execute a bash command',
    parameters: { command: 'string', timeout: 'integer' },
    required: ['command'],
  },
  ReadImage: {
    sentence: 'Read an image file and display it visually',
    parameters: { file_path: 'string' },
    required: ['file_path'],
  },
  ReadDocs: {
    sentence: 'Fetch URL content as markdown via headless browser',
    parameters: { url: 'string', format: 'string', wait_ms: 'integer' },
    required: ['url'],
  },
  WebSearch: {
    sentence: 'Search the web using 11 engines concurrently',
    parameters: { query: 'string' },
    required: ['query'],
  },
  TaskManager: {
    sentence: 'Manage persistent tasks with create/add/complete',
    parameters: { action: 'string', query: 'string', task_id: 'integer', step_id: 'integer', text: 'string' },
    required: ['action', 'query'],
  },
  PlanMode: {
    sentence: 'Manage plan mode for complex tasks',
    parameters: { action: 'string', goal: 'string', plan_file: 'string' },
    required: ['action'],
  },
  AskUserQuestion: {
    sentence: 'Ask interactive multiple-choice questions via TUI',
    parameters: { questions_json: 'string' },
    required: ['questions_json'],
  },
  InvokeSkill: {
    sentence: 'Invoke a skill by name for reusable workflows',
    parameters: { skill_name: 'string', arguments: 'string' },
    required: ['skill_name'],
  },
  BackgroundBash: {
    sentence: 'Execute bash command in background, returns immediately',
    parameters: { command: 'string' },
    required: ['command'],
  },
  ReadBgOutput: {
    sentence: 'Read new output from a background task',
    parameters: { task_id: 'integer' },
    required: ['task_id'],
  },
  ListBgTasks: { sentence: 'List all background tasks with status and runtime', parameters: {}, required: [] },
  KillBgTask: {
    sentence: 'Kill a running background task by ID',
    parameters: { task_id: 'integer' },
    required: ['task_id'],
  },
  SetCallback: {
    sentence: 'Manage scheduled callback messages with repeats',
    parameters: {
      action: 'string',
      message: 'string',
      delay_seconds: 'integer',
      repeat_count: 'integer',
      callback_id: 'integer',
    },
    required: ['action'],
  },
}

async function listed(): Promise<Json[]> {
  const client = startServer()
  const { tools } = (await client.request('tools/list')).result
  await client.close()
  return tools
}

test('each tool matches its committed file', async () => {
  const tools = await listed()
  expect(readdirSync(FOLDER).sort()).toEqual(tools.map(({ name }) => `${name}.json`).sort())
  for (const tool of tools) {
    expect(tool, `run npm run generate if ${tool.name} was meant to change`).toEqual(
      JSON.parse(readFileSync(join(FOLDER, `${tool.name}.json`), 'utf8')),
    )
  }
})

test('each tool keeps its published contract', async () => {
  for (const { name, description, inputSchema } of await listed()) {
    const published = PUBLISHED[name]
    expect(published, `${name} is not a published tool`).toBeDefined()
    expect(description.startsWith(published!.sentence)).toBe(true)
    expect(inputSchema.required ?? []).toEqual(published!.required)
    for (const [parameter, type] of Object.entries(published!.parameters)) {
      expect(inputSchema.properties[parameter], `${name}.${parameter}`).toMatchObject({ type })
    }
  }
})
