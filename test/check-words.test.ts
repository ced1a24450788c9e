// The check of words finds planted ones, and accepts published names and ordinary text.

import { expect, test } from 'vitest'

import { findWords } from '../scripts/check-words.mjs'

const PATH = 'packages/server/src/planted.ts'

test.each([
  ['a word in a name', PATH, '\nconst openCage = 1', { line: 2, kind: 'name' }],
  ['a word in a constant', PATH, 'const RUNG_MS = 1', { line: 1, kind: 'name' }],
  ['a plural', PATH, 'const parcels = []', { line: 1, kind: 'name' }],
  ['a name in a template', PATH, 'const text = `${nursery.size}`', { line: 1, kind: 'name' }],
  ['a word in a file name', 'packages/server/src/vigil.ts', '', { line: 1, kind: 'file name' }],
  ['a phrase in a comment', PATH, '// Read-only, unless told otherwise.', { line: 1, kind: 'phrase' }],
  ['a phrase in a message', PATH, "throw new Failure('Ask whoever runs the server.')", { line: 1, kind: 'phrase' }],
  ['a process as a person', PATH, '/** Who waits gets the answer. */', { line: 1, kind: 'comment' }],
  ['a clause with who', PATH, '// The first server, who fires.', { line: 1, kind: 'comment' }],
  ['a comment in a shell script', 'scripts/planted.sh', 'echo x\n# nobody reads it', { line: 2, kind: 'comment' }],
  [
    'a sentence of the documentation',
    'docs/planted.md',
    'A.\n\nIt is told to the model.',
    { line: 3, kind: 'comment' },
  ],
  ['a message of the program', PATH, "throw new Failure('There is nobody to ask.')", { line: 1, kind: 'message' }],
  ['a background task in a message', PATH, '\nreturn `Background task ${id} ended.`', { line: 2, kind: 'term' }],
  ['one in a concatenated message', PATH, "const text = 'no background ' +\n  'task'", { line: 1, kind: 'term' }],
  ['one in the text of a component', 'packages/console/src/page/a.tsx', '<p>No background tasks</p>', { kind: 'term' }],
  ['one in the documentation', 'docs/planted.md', 'A.\n\nIt is a **background\ntask**.', { line: 3, kind: 'term' }],
  ['one in a code block', 'README.md', '```\n[Background task 7 is running]\n```', { line: 2, kind: 'term' }],
  ['one in the change log', 'CHANGELOG.md', '- Nobody can kill a background task.', { line: 1, kind: 'term' }],
  ['one that explains no name', 'docs/shell.md', 'A job is a background task.', { line: 1, kind: 'term' }],
  ['an explanation elsewhere', 'docs/clients.md', 'The names call a job a background task.', { kind: 'term' }],
  [
    'a second explanation',
    'docs/shell.md',
    'The names call a job a background task.\n\n`task_id` is the ID of a job, a background task.',
    { line: 3, kind: 'term' },
  ],
])('finds %s', (_, path, text, finding) => {
  expect(findWords(path, text)).toEqual([expect.objectContaining({ path, ...finding })])
})

test.each([
  ['a published key', PATH, 'return { rung: 1 }'],
  ['a hint of the protocol', PATH, 'const hints = { openWorldHint: true }'],
  ['text in a test', 'test/planted.test.ts', "const html = '<p>Nobody was told.</p>'"],
  ['a regular expression with quotes', PATH, "const quote = /'/u // It's one.\nconst next = \"'\""],
  ['code in the documentation', 'docs/planted.md', 'Run:\n\n```\n$ su nobody\n```\n\nand `su nobody`.'],
  ['a question', 'docs/planted.md', 'Who can open the page?'],
  ['the first line of a tool', PATH, 'const about = `Read new output from a background task\nMore.`'],
  ['its table', 'README.md', '| `ListBgTasks` | List all background tasks with status and runtime |'],
  ['its heading in the documentation', 'docs/tools.md', '## KillBgTask\n\nKill a running background task by ID'],
  [
    'the names explained',
    'docs/tools.md',
    'A. The names `ReadBgOutput` and\n`KillBgTask` call a job a background\ntask. B.',
  ],
  [
    'a comment about background tasks',
    PATH,
    '// Shown in the list of background tasks.\nconst a = 1 /* background task */',
  ],
  ['background tasks in a test', 'packages/server/src/planted.test.ts', "const text = 'no background task 1'"],
  ['an identifier', PATH, "const backgroundTask = 'background_task'"],
  ['the change log', 'CHANGELOG.md', '- Nobody, unless told, opens the nursery.'],
  ['a part of a word', PATH, 'const housekeeping = thousands.shift()'],
])('accepts %s', (_, path, text) => {
  expect(findWords(path, text)).toEqual([])
})
