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

function codexEntry(userHome: UserHome): unknown {
  return (parseToml(userHome.read(CODEX)) as { mcp_servers?: { scorpiox?: unknown } }).mcp_servers?.scorpiox
}

function continueEntry(userHome: UserHome): unknown {
  const { mcpServers } = parseYaml(userHome.read(CONTINUE)) as { mcpServers?: { name: string }[] }
  return mcpServers?.find(({ name }) => name === 'scorpiox')
}

function homeWithCodex(text = 'model = "o5"\n'): UserHome {
  const userHome = newUserHome()
  userHome.write(CODEX, text)
  return userHome
}

function homeWithContinue(): UserHome {
  const userHome = newUserHome()
  userHome.write(CONTINUE, 'name: Mine\nversion: 1.0.0\nschema: v1\nmodels: []\n')
  return userHome
}

test('by default Codex asks before it runs tools, and the output says how to change that', async () => {
  const userHome = homeWithCodex()
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('scorpiox-code install codex --codex-approval approve')
  expect(codexEntry(userHome)).toEqual({ command: userHome.executablePath, args: [] })
})

test('Codex may run the tools if the option allows it, also later, and no longer if the option denies it', async () => {
  const userHome = homeWithCodex()
  const before = userHome.read(CODEX)
  const entry = { command: userHome.executablePath, args: [] }
  const first = await userHome.run('install', '--yes', '--codex-approval', 'approve')
  expect(first.text).toContain('default_tools_approval_mode = "approve"')
  expect(codexEntry(userHome)).toEqual({ ...entry, default_tools_approval_mode: 'approve' })
  // The choice is kept.
  expect((await userHome.run('install', '--yes')).text).toContain('Codex  ~/.codex/config.toml: already connected')
  await userHome.run('install', '--yes', '--codex-approval', 'ask')
  expect(codexEntry(userHome)).toEqual({ ...entry, default_tools_approval_mode: 'auto' })
  const again = await userHome.run('install', 'codex', '--yes', '--codex-approval', 'approve')
  expect(again.text).toContain('  - default_tools_approval_mode = "auto"\n  + default_tools_approval_mode = "approve"')
  expect(codexEntry(userHome)).toEqual({ ...entry, default_tools_approval_mode: 'approve' })
  await userHome.run('uninstall', '--yes')
  expect(userHome.read(CODEX)).toBe(before)
})

test('an entry of an earlier version is updated to the current choice', async () => {
  const userHome = homeWithCodex('[mcp_servers.scorpiox]\ncommand = "/old/scorpiox-code" # mine\n')
  await userHome.run('install', '--yes', '--codex-approval', 'approve')
  expect(codexEntry(userHome)).toEqual({ command: userHome.executablePath, default_tools_approval_mode: 'approve' })
})

test('an option with another value is refused', async () => {
  const userHome = homeWithCodex()
  const { code, text } = await userHome.run('install', '--yes', '--codex-approval', 'always')
  expect(code).toBe(2)
  expect(text).toContain('--codex-approval takes approve or ask, not "always"')
  expect(codexEntry(userHome)).toBeUndefined()
})

test("a conflict with Continue's own Bash is reported, and ours is disabled on request", async () => {
  const userHome = homeWithContinue()
  const before = userHome.read(CONTINUE)
  const looked = await userHome.run('install', '--dry-run')
  expect(looked.text).toContain('It calls its own, so plan mode')
  expect(looked.text).toContain('  + mcpServers:\n  +   - name: "scorpiox"\n  +     command: ')
  const { text } = await userHome.run('install', '--yes', '--continue-bash', 'own')
  expect(text).toContain('env: {"TOOL_BASH":"0"}')
  expect(text).not.toContain('It calls its own, so plan mode')
  const entry = { name: 'scorpiox', command: userHome.executablePath, args: [] }
  expect(continueEntry(userHome)).toEqual({ ...entry, env: { TOOL_BASH: '0' } })
  await userHome.run('install', '--yes', '--continue-bash', 'both')
  expect(continueEntry(userHome)).toEqual({ ...entry, env: { TOOL_BASH: '1' } })
  await userHome.run('uninstall', '--yes')
  expect(userHome.read(CONTINUE)).toBe(before)
})

test('Continue without a configuration is connected only by name, with a note about the effect', async () => {
  const userHome = newUserHome()
  userHome.write('.continue/logs/cn.log', '')
  expect((await userHome.run('install', '--dry-run')).text).not.toContain('Continue')
  const { text } = await userHome.run('install', 'continue', '--yes')
  expect(text).toContain('Continue uses this file instead of its default configuration; add your models to it')
  expect(parseYaml(userHome.read(CONTINUE))).toEqual({
    name: 'Local Config',
    version: '1.0.0',
    schema: 'v1',
    mcpServers: [{ name: 'scorpiox', command: userHome.executablePath, args: [] }],
  })
  await userHome.run('uninstall', '--yes')
  expect([...userHome.allFiles().keys()]).toEqual(['.continue/logs/cn.log'])
})

test('an entry of opencode is found in each of its files, and removed there', async () => {
  const userHome = newUserHome()
  const path = userHome.write('.config/opencode/opencode.json', '{}')
  await userHome.run('install', '--yes')
  userHome.write('.config/opencode/opencode.jsonc', '{"$schema": "x"}')
  expect((await userHome.run('install', '--yes')).text).toContain(
    'opencode  ~/.config/opencode/opencode.json: already connected',
  )
  await userHome.run('uninstall', '--yes')
  expect(userHome.read('.config/opencode/opencode.json')).toBe('{}')
  expect(existsSync(path)).toBe(true)
})

test('without a client it reports that each time, and what to do next', async () => {
  const userHome = newUserHome()
  for (const words of [['--dry-run'], ['--yes'], ['--yes']]) {
    const { code, text } = await userHome.run('install', ...words)
    expect(code).toBe(0)
    expect(text).toContain('No client was found')
    expect(text).toContain('scorpiox-code install <client>')
    expect(text).toContain('opencode, copilot, qwen, cline, continue')
  }
})

test('concurrent installations keep each other’s records', async () => {
  const names = ['cursor', 'gemini', 'qwen', 'copilot', 'cline', 'opencode', 'zed', 'windsurf']
  const userHome = newUserHome()
  await userHome.run('install', '--yes')
  await Promise.all(names.map((name) => userHome.run('install', name, '--yes')))
  const { files } = JSON.parse(userHome.read('.scorpiox/install.json')) as { files: Record<string, unknown> }
  expect(Object.keys(files)).toHaveLength(names.length)
  await userHome.run('uninstall', '--yes')
  expect([...userHome.allFiles().keys()]).toEqual([])
})

test.skipIf(!HAS_TERMINALS).each([
  ['Enter', ENTER],
  ['n', 'n'],
  ['N and Enter', `N${ENTER}`],
])('%s means no, for one change and for several, installing and uninstalling', async (_, keys) => {
  const userHome = newUserHome()
  for (const name of ['.cursor/mcp.json', '.gemini/settings.json']) userHome.write(name, '{}')
  await userHome.run('install', 'cursor', '--yes')
  const before = userHome.allFiles()
  for (const [args, question] of [
    [['install'], 'Make this change?'],
    [['uninstall'], 'Make these changes?'],
    [['uninstall', 'cursor'], 'Make this change?'],
    [['install', 'gemini', 'zed'], 'Make these changes?'],
  ] as const) {
    const terminal = await openTerminal({ args, env: userHome.env, rows: 60 })
    expect(await terminal.waitForText(question)).toContain('(default')
    terminal.type(keys)
    await terminal.waitForText('No changes made.')
    expect((await terminal.ended).code).toBe(0)
    expect(userHome.allFiles()).toEqual(before)
  }
})

test.skipIf(!HAS_TERMINALS)('on a terminal the answers of the user are written', async () => {
  const userHome = homeWithCodex()
  userHome.write(CONTINUE, 'name: Mine\n')
  const before = userHome.allFiles()
  const left = await openTerminal({ args: ['install'], env: userHome.env, rows: 80 })
  await left.waitForText(CODEX_QUESTION)
  left.type(CTRL_C)
  await left.waitForText('No changes made.')
  expect((await left.ended).code).toBe(130)
  expect(userHome.allFiles()).toEqual(before)

  const terminal = await openTerminal({ args: ['install'], env: userHome.env, rows: 80 })
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
  expect(codexEntry(userHome)).toEqual({
    command: userHome.executablePath,
    args: [],
    default_tools_approval_mode: 'approve',
  })
  expect(continueEntry(userHome)).toEqual({ name: 'scorpiox', command: userHome.executablePath, args: [] })

  // If the client is named again, undecided choices are asked again.
  const again = await openTerminal({ args: ['install', 'continue'], env: userHome.env, rows: 80 })
  await again.waitForText(CONTINUE_QUESTION)
  again.type('y')
  await again.waitForText('Make this change?')
  again.type('y')
  await again.waitForText('✓ Continue CLI: connected')
  await again.ended
  expect(continueEntry(userHome)).toMatchObject({ env: { TOOL_BASH: '0' } })
})

test.skipIf(!HAS_TERMINALS)('lines are wrapped between words', async () => {
  const userHome = homeWithCodex()
  userHome.write('.gemini/settings.json', '{"mcpServers": []}')
  const terminal = await openTerminal({ args: ['install', '--dry-run'], env: userHome.env, rows: 80, columns: 60 })
  await terminal.ended
  const screen = terminal.screen()
  const prose = screen.split('\n').filter((line) => !/^ *[+-] |["{}]/.test(line))
  const sentence = 'Codex asks before it runs Bash and BackgroundBash. If it cannot ask'
  expect(screen.replaceAll(/\s+/g, ' ')).toContain(sentence)
  expect(prose.filter((line) => line.trimEnd().length > 60)).toEqual([])
  const words = new Set(`${sentence} refuses`.split(' '))
  expect([...words].filter((word) => !screen.split(/\s+/).includes(word))).toEqual([])
})
