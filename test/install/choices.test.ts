// The questions of the installer: answers on a terminal, options that answer beforehand, and defaults.

import { existsSync } from 'node:fs'

import { parse as parseToml } from 'smol-toml'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'

import { CTRL_C, ENTER, HAS_TERMINALS, openTerminal } from '../support/terminal.js'
import { newUserHome, type UserHome } from './support.js'

const CODEX = '.codex/config.toml'
const CONTINUE = '.continue/config.yaml'
const CODEX_QUESTION = 'May Codex run the tools'
const CONTINUE_QUESTION = 'Continue has its own Bash'

function codexEntry(person: UserHome): unknown {
  return (parseToml(person.read(CODEX)) as { mcp_servers?: { scorpiox?: unknown } }).mcp_servers?.scorpiox
}

function continueEntry(person: UserHome): unknown {
  const { mcpServers } = parseYaml(person.read(CONTINUE)) as { mcpServers?: { name: string }[] }
  return mcpServers?.find(({ name }) => name === 'scorpiox')
}

function personWithCodex(text = 'model = "o5"\n'): UserHome {
  const person = newUserHome()
  person.write(CODEX, text)
  return person
}

function personWithContinue(): UserHome {
  const person = newUserHome()
  person.write(CONTINUE, 'name: Mine\nversion: 1.0.0\nschema: v1\nmodels: []\n')
  return person
}

test('by default Codex asks before it runs tools, and the output says how to change that', async () => {
  const person = personWithCodex()
  const { code, text } = await person.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('scorpiox-code install codex --codex-approval approve')
  expect(codexEntry(person)).toEqual({ command: person.executablePath, args: [] })
})

test('Codex may run the tools if the option allows it, also later, and no longer if the option denies it', async () => {
  const person = personWithCodex()
  const before = person.read(CODEX)
  const entry = { command: person.executablePath, args: [] }
  const first = await person.run('install', '--yes', '--codex-approval', 'approve')
  expect(first.text).toContain('default_tools_approval_mode = "approve"')
  expect(codexEntry(person)).toEqual({ ...entry, default_tools_approval_mode: 'approve' })
  // The choice is kept.
  expect((await person.run('install', '--yes')).text).toContain('Codex  ~/.codex/config.toml: already connected')
  await person.run('install', '--yes', '--codex-approval', 'ask')
  expect(codexEntry(person)).toEqual({ ...entry, default_tools_approval_mode: 'auto' })
  const again = await person.run('install', 'codex', '--yes', '--codex-approval', 'approve')
  expect(again.text).toContain('  - default_tools_approval_mode = "auto"\n  + default_tools_approval_mode = "approve"')
  expect(codexEntry(person)).toEqual({ ...entry, default_tools_approval_mode: 'approve' })
  await person.run('uninstall', '--yes')
  expect(person.read(CODEX)).toBe(before)
})

test('an entry of an earlier version is updated to the current choice', async () => {
  const person = personWithCodex('[mcp_servers.scorpiox]\ncommand = "/old/scorpiox-code" # mine\n')
  await person.run('install', '--yes', '--codex-approval', 'approve')
  expect(codexEntry(person)).toEqual({ command: person.executablePath, default_tools_approval_mode: 'approve' })
})

test('an option with another value is refused', async () => {
  const person = personWithCodex()
  const { code, text } = await person.run('install', '--yes', '--codex-approval', 'always')
  expect(code).toBe(2)
  expect(text).toContain('--codex-approval takes approve or ask, not "always"')
  expect(codexEntry(person)).toBeUndefined()
})

test("a conflict with Continue's own Bash is reported, and ours is switched off on request", async () => {
  const person = personWithContinue()
  const before = person.read(CONTINUE)
  const looked = await person.run('install', '--dry-run')
  expect(looked.text).toContain('it calls its own, so plan mode')
  expect(looked.text).toContain('  + mcpServers:\n  +   - name: "scorpiox"\n  +     command: ')
  const { text } = await person.run('install', '--yes', '--continue-bash', 'own')
  expect(text).toContain('env: {"TOOL_BASH":"0"}')
  expect(text).not.toContain('it calls its own, so plan mode')
  const entry = { name: 'scorpiox', command: person.executablePath, args: [] }
  expect(continueEntry(person)).toEqual({ ...entry, env: { TOOL_BASH: '0' } })
  await person.run('install', '--yes', '--continue-bash', 'both')
  expect(continueEntry(person)).toEqual({ ...entry, env: { TOOL_BASH: '1' } })
  await person.run('uninstall', '--yes')
  expect(person.read(CONTINUE)).toBe(before)
})

test('Continue without a configuration is connected only by name, with a note about the effect', async () => {
  const person = newUserHome()
  person.write('.continue/logs/cn.log', '')
  expect((await person.run('install', '--dry-run')).text).not.toContain('Continue')
  const { text } = await person.run('install', 'continue', '--yes')
  expect(text).toContain('Continue uses this file instead of its default configuration; add your models to it')
  expect(parseYaml(person.read(CONTINUE))).toEqual({
    name: 'Local Config',
    version: '1.0.0',
    schema: 'v1',
    mcpServers: [{ name: 'scorpiox', command: person.executablePath, args: [] }],
  })
  await person.run('uninstall', '--yes')
  expect([...person.allFiles().keys()]).toEqual(['.continue/logs/cn.log'])
})

test('an entry of opencode is found in each of its files, and removed there', async () => {
  const person = newUserHome()
  const path = person.write('.config/opencode/opencode.json', '{}')
  await person.run('install', '--yes')
  person.write('.config/opencode/opencode.jsonc', '{"$schema": "x"}')
  expect((await person.run('install', '--yes')).text).toContain(
    'opencode  ~/.config/opencode/opencode.json: already connected',
  )
  await person.run('uninstall', '--yes')
  expect(person.read('.config/opencode/opencode.json')).toBe('{}')
  expect(existsSync(path)).toBe(true)
})

test('without a client it reports that each time, and what to do next', async () => {
  const person = newUserHome()
  for (const words of [['--dry-run'], ['--yes'], ['--yes']]) {
    const { code, text } = await person.run('install', ...words)
    expect(code).toBe(0)
    expect(text).toContain('No client was found')
    expect(text).toContain('scorpiox-code install <client>')
    expect(text).toContain('opencode, copilot, qwen, cline, continue')
  }
})

test('concurrent installations keep each other’s records', async () => {
  const names = ['cursor', 'gemini', 'qwen', 'copilot', 'cline', 'opencode', 'zed', 'windsurf']
  const person = newUserHome()
  await person.run('install', '--yes')
  await Promise.all(names.map((name) => person.run('install', name, '--yes')))
  const { files } = JSON.parse(person.read('.scorpiox/install.json')) as { files: Record<string, unknown> }
  expect(Object.keys(files)).toHaveLength(names.length)
  await person.run('uninstall', '--yes')
  expect([...person.allFiles().keys()]).toEqual([])
})

test.skipIf(!HAS_TERMINALS).each([
  ['Enter', ENTER],
  ['n', 'n'],
  ['N and Enter', `N${ENTER}`],
])('%s means no, for one change and for several, installing and uninstalling', async (_, keys) => {
  const person = newUserHome()
  for (const name of ['.cursor/mcp.json', '.gemini/settings.json']) person.write(name, '{}')
  await person.run('install', 'cursor', '--yes')
  const before = person.allFiles()
  for (const [words, question] of [
    [['install'], 'Make this change?'],
    [['uninstall'], 'Make these changes?'],
    [['uninstall', 'cursor'], 'Make this change?'],
    [['install', 'gemini', 'zed'], 'Make these changes?'],
  ] as const) {
    const terminal = await openTerminal({ args: words, env: person.env, rows: 60 })
    expect(await terminal.waitForText(question)).toContain('(default')
    terminal.type(keys)
    await terminal.waitForText('No changes made.')
    expect((await terminal.ended).code).toBe(0)
    expect(person.allFiles()).toEqual(before)
  }
})

test.skipIf(!HAS_TERMINALS)('on a terminal the answers of the user are written', async () => {
  const person = personWithCodex()
  person.write(CONTINUE, 'name: Mine\n')
  const before = person.allFiles()
  const left = await openTerminal({ args: ['install'], env: person.env, rows: 80 })
  await left.waitForText(CODEX_QUESTION)
  left.type(CTRL_C)
  await left.waitForText('No changes made.')
  expect((await left.ended).code).toBe(130)
  expect(person.allFiles()).toEqual(before)

  const terminal = await openTerminal({ args: ['install'], env: person.env, rows: 80 })
  expect(await terminal.waitForText(CODEX_QUESTION)).toContain('no (default)')
  terminal.type('y')
  expect(await terminal.waitForText(CONTINUE_QUESTION)).toContain('no (default)')
  terminal.type(ENTER)
  const shown = await terminal.waitForText('Make these changes?')
  expect(shown).toContain('+ default_tools_approval_mode = "approve"')
  expect(shown).not.toContain('TOOL_BASH: ')
  terminal.type('y')
  await terminal.waitForText('Restart the clients')
  expect((await terminal.ended).code).toBe(0)
  expect(codexEntry(person)).toEqual({
    command: person.executablePath,
    args: [],
    default_tools_approval_mode: 'approve',
  })
  expect(continueEntry(person)).toEqual({ name: 'scorpiox', command: person.executablePath, args: [] })

  // If the client is named again, undecided choices are asked again.
  const again = await openTerminal({ args: ['install', 'continue'], env: person.env, rows: 80 })
  await again.waitForText(CONTINUE_QUESTION)
  again.type('y')
  await again.waitForText('Make this change?')
  again.type('y')
  await again.waitForText('✓ Continue CLI: connected')
  await again.ended
  expect(continueEntry(person)).toMatchObject({ env: { TOOL_BASH: '0' } })
})

test.skipIf(!HAS_TERMINALS)('lines are wrapped between words', async () => {
  const person = personWithCodex()
  person.write('.gemini/settings.json', '{"mcpServers": []}')
  const terminal = await openTerminal({ args: ['install', '--dry-run'], env: person.env, rows: 80, columns: 60 })
  await terminal.ended
  const screen = terminal.screen()
  const prose = screen.split('\n').filter((line) => !/^ *[+-] |["{}]/.test(line))
  const sentence = 'Codex asks before it runs Bash and BackgroundBash; where it cannot ask'
  expect(screen.replaceAll(/\s+/g, ' ')).toContain(sentence)
  expect(prose.filter((line) => line.trimEnd().length > 60)).toEqual([])
  const words = new Set(`${sentence} refuses`.split(' '))
  expect([...words].filter((word) => !screen.split(/\s+/).includes(word))).toEqual([])
})
