// Connecting and disconnecting clients from the command line.

import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'

import { startServer } from '../support/client.js'
import { CTRL_C, ENTER, HAS_TERMINALS, openTerminal } from '../support/terminal.js'
import { newUserHome, type UserHome } from './support.js'

const SECRET = 'ghp_very_secret'

/** A user of all clients. */
function homeWithAllClients(): UserHome {
  const userHome = newUserHome()
  const other = { command: 'npx', args: ['-y', 'gh'], env: { TOKEN: SECRET } }
  userHome.write('.claude.json', JSON.stringify({ numStartups: 7, mcpServers: { gh: other } }, null, 2))
  userHome.write('.config/Claude/claude_desktop_config.json', '{}')
  userHome.write('.cursor/mcp.json', `{"mcpServers":{"gh":${JSON.stringify(other)}}}`)
  userHome.write('.config/Code/User/settings.json', '{}')
  userHome.write('.codeium/windsurf/mcp_config.json', '')
  userHome.write('.config/devin/config.json', '\uFEFF{\r\n\t"mcpServers": {}\r\n}\r\n')
  userHome.write('.codex/config.toml', `model = "o5"\n[mcp_servers.gh.env]\nTOKEN = "${SECRET}"\n# the end`)
  userHome.write('.gemini/settings.json', '{\n    "theme": "Default"\n}\n')
  userHome.write('.config/opencode/opencode.jsonc', '{\n  "$schema": "https://opencode.ai/config.json"\n}')
  userHome.write('.copilot/config.json', '{}')
  userHome.write('.qwen/settings.json', '{"mcpServers": {}}')
  userHome.write('.cline/data/settings/cline_mcp_settings.json', '{\n  "mcpServers": {}\n}\n')
  userHome.write(
    '.continue/config.yaml',
    `name: Mine # my own\nmcpServers:\n- name: gh\n  env: {TOKEN: ${SECRET}}\nmodels: []`,
  )
  userHome.write('.config/zed/settings.json', '// Zed\n{\n  "vim_mode": true, // yes\n  // "context_servers": {}\n}\n')
  return userHome
}

test('all clients found here are connected, and disconnected without a trace', async () => {
  const userHome = homeWithAllClients()
  const before = userHome.allFiles()
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).not.toContain(SECRET)
  const entry = { command: userHome.executablePath, args: [] }
  const servers = (name: string): object =>
    (JSON.parse(userHome.read(name).replace('\uFEFF', '')) as { mcpServers: object }).mcpServers
  expect(servers('.claude.json')).toMatchObject({ gh: {}, scorpiox: entry })
  expect(servers('.config/Claude/claude_desktop_config.json')).toEqual({ scorpiox: entry })
  expect(servers('.cursor/mcp.json')).toMatchObject({ gh: {}, scorpiox: entry })
  expect(servers('.codeium/windsurf/mcp_config.json')).toEqual({ scorpiox: entry })
  expect(servers('.config/devin/config.json')).toEqual({ scorpiox: entry })
  expect(servers('.gemini/settings.json')).toEqual({ scorpiox: entry })
  expect(JSON.parse(userHome.read('.config/Code/User/mcp.json'))).toEqual({
    servers: { scorpiox: { type: 'stdio', ...entry } },
  })
  expect(parse(userHome.read('.codex/config.toml'))).toMatchObject({ mcp_servers: { gh: {}, scorpiox: entry } })
  expect(userHome.read('.config/zed/settings.json')).toContain('"context_servers": {\n    "scorpiox": {')
  expect(JSON.parse(userHome.read('.config/opencode/opencode.jsonc'))).toEqual({
    $schema: 'https://opencode.ai/config.json',
    mcp: { scorpiox: { type: 'local', enabled: true, command: [userHome.executablePath] } },
  })
  expect(servers('.copilot/mcp-config.json')).toEqual({ scorpiox: { type: 'local', tools: ['*'], ...entry } })
  expect(servers('.qwen/settings.json')).toEqual({ scorpiox: entry })
  expect(servers('.cline/data/settings/cline_mcp_settings.json')).toEqual({ scorpiox: { timeout: 3600, ...entry } })
  expect(parseYaml(userHome.read('.continue/config.yaml'))).toEqual({
    name: 'Mine',
    mcpServers: [
      { name: 'gh', env: { TOKEN: SECRET } },
      { name: 'scorpiox', ...entry },
    ],
    models: [],
  })
  const connected = userHome.allFiles()

  const again = await userHome.run('install', '--yes')
  expect(again).toEqual({ code: 0, text: expect.stringContaining('already installed') })
  expect(again.text.match(/already connected/g)).toHaveLength(14)
  expect(userHome.allFiles()).toEqual(connected)

  writeFileSync(join(userHome.home, '.scorpiox', 'state.db'), 'tasks')
  expect((await userHome.run('uninstall', '--yes')).code).toBe(0)
  expect(userHome.allFiles()).toEqual(new Map([...before, ['.scorpiox/state.db', 'tasks']]))
})

test('the installed program serves', async () => {
  const userHome = newUserHome()
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('No client was found')
  const client = startServer({ file: userHome.executablePath, args: [], env: userHome.env })
  await client.initialize('2025-06-18')
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'echo carried on' } })
  expect(result.content[0].text).toContain('carried on')
  // A running server is not disturbed by another installation, nor by its removal.
  await userHome.run('install', '--yes')
  await userHome.run('uninstall', '--yes')
  const later = await client.request('tools/call', { name: 'TaskManager', arguments: { action: 'list', query: '' } })
  expect(later.result).toBeDefined()
  expect(await client.close()).toBe(0)
})

test('a dry run changes nothing, nor does a run without a terminal', async () => {
  const userHome = homeWithAllClients()
  const before = userHome.allFiles()
  const looked = await userHome.run('install', '--dry-run')
  expect(looked.code).toBe(0)
  expect(looked.text).toContain('+     "command": ')
  expect(looked.text).toContain('  + [mcp_servers.scorpiox]')
  expect(looked.text).not.toContain(SECRET)
  const withoutTerminal = await userHome.run('install')
  expect(withoutTerminal.code).toBe(1)
  expect(withoutTerminal.text).toContain(
    'No changes made: not a terminal. Add --yes to make these changes without confirmation.',
  )
  expect(userHome.allFiles()).toEqual(before)
  await userHome.run('install', '--yes')
  const connected = userHome.allFiles()
  expect((await userHome.run('uninstall', '--dry-run')).text).toContain('  - [mcp_servers.scorpiox]')
  expect((await userHome.run('uninstall')).code).toBe(1)
  expect(userHome.allFiles()).toEqual(connected)
})

test('a named client is connected although it is not found, and its file is removed again', async () => {
  const userHome = newUserHome()
  expect((await userHome.run('install', 'cursor', '--yes')).code).toBe(0)
  expect(statSync(join(userHome.home, '.cursor/mcp.json')).mode & 0o777).toBe(0o600)
  expect(existsSync(join(userHome.home, '.codex'))).toBe(false)
  expect((await userHome.run('uninstall', 'cursor', '--yes')).code).toBe(0)
  expect(existsSync(join(userHome.home, '.cursor/mcp.json'))).toBe(false)
  expect(existsSync(userHome.executablePath)).toBe(true)
  const unknown = await userHome.run('install', 'emacs', '--yes')
  expect(unknown).toEqual({
    code: 2,
    text: expect.stringContaining('the clients are claude-code, claude-desktop, cursor'),
  })
})

test('a project is connected on request', async () => {
  const userHome = newUserHome()
  expect((await userHome.run('install', 'project', '--cwd', userHome.home, '--yes')).code).toBe(0)
  expect(JSON.parse(userHome.read('.mcp.json'))).toEqual({
    mcpServers: { scorpiox: { command: userHome.executablePath, args: [] } },
  })
})

test('an extended entry of ours keeps its additions, and entries of others are not changed', async () => {
  const userHome = newUserHome()
  const extended = {
    command: 'node',
    args: ['/old/scorpiox-code.js', '-e', 'MODEL=opus'],
    env: { KEY: SECRET },
    disabled: true,
  }
  userHome.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { scorpiox: extended } }, null, 2))
  const foreign = JSON.stringify({ mcpServers: { scorpiox: { command: '/usr/bin/scorpion' } } })
  userHome.write('.gemini/settings.json', foreign)
  const { code, text } = await userHome.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('its entry "scorpiox" starts another program')
  expect(text).not.toContain(SECRET)
  expect(text).toContain('"args": ["/old/scorpiox-code.js","-e","MODEL=…"]')
  expect(JSON.parse(userHome.read('.cursor/mcp.json'))).toEqual({
    mcpServers: { scorpiox: { ...extended, command: userHome.executablePath, args: ['-e', 'MODEL=opus'] } },
  })
  expect(userHome.read('.gemini/settings.json')).toBe(foreign)
  expect((await userHome.run('install', 'gemini', '--yes')).code).toBe(1)
  const gone = await userHome.run('uninstall', '--yes')
  expect(gone.text).toContain('"env": …')
  expect(gone.text).not.toContain(SECRET)
  expect(JSON.parse(userHome.read('.cursor/mcp.json'))).toEqual({ mcpServers: {} })
  expect(userHome.read('.gemini/settings.json')).toBe(foreign)
})

test('while a client cannot be disconnected, the program it starts is kept', async () => {
  const userHome = newUserHome()
  userHome.write('.cursor/mcp.json', '{}')
  userHome.write('.gemini/settings.json', '{}')
  await userHome.run('install', '--yes')
  userHome.write('.cursor/mcp.json', userHome.read('.cursor/mcp.json').slice(0, -3))
  const { code, text } = await userHome.run('uninstall', '--yes')
  expect(code).toBe(1)
  expect(text).toContain('not removed, because a client that was not changed may start it')
  expect(existsSync(userHome.executablePath)).toBe(true)
  expect(userHome.read('.gemini/settings.json')).toBe('{}')
})

test('the last three backups are kept, with their mode', async () => {
  const userHome = newUserHome()
  userHome.write('.cursor/mcp.json', '{"theme": 1}')
  for (let round = 0; round < 3; round++) {
    await userHome.run('install', 'cursor', '--yes')
    await userHome.run('uninstall', 'cursor', '--yes')
  }
  const names = readdirSync(join(userHome.home, '.cursor'))
  const kept = names.filter((name) => name.startsWith('mcp.json.scorpiox-backup-2'))
  expect(kept, names.join('\n')).toHaveLength(3)
  for (const name of kept) expect(statSync(join(userHome.home, '.cursor', name)).mode & 0o777).toBe(0o644)
})

test.skipIf(!HAS_TERMINALS)('on a terminal it asks, shows colours, and applies the answers', async () => {
  const userHome = homeWithAllClients()
  const before = userHome.allFiles()
  const terminal = await openTerminal({ args: ['install', 'cursor', 'gemini'], env: userHome.env, rows: 200 })
  await terminal.waitForText('Make these changes?')
  expect(terminal.bytes()).toContain('\u001B[32m  + ')
  terminal.type(ENTER)
  await terminal.waitForText('No changes made.')
  expect((await terminal.ended).code).toBe(0)
  expect(userHome.allFiles()).toEqual(before)

  const second = await openTerminal({ args: ['install', 'cursor', 'zed'], env: userHome.env, rows: 200 })
  await second.waitForText('Make these changes?')
  second.type('e')
  await second.waitForText(/◆ +Cursor/)
  second.type('n')
  await second.waitForText(/◆ +Zed/)
  second.type('y')
  await second.waitForText('✓ Zed: connected')
  expect((await second.ended).code).toBe(0)
  expect(userHome.read('.cursor/mcp.json')).not.toContain('scorpiox')
  expect(userHome.read('.config/zed/settings.json')).toContain(userHome.executablePath)
})

test.skipIf(!HAS_TERMINALS)('exiting without an answer changes nothing', async () => {
  const userHome = homeWithAllClients()
  const before = userHome.allFiles()
  const terminal = await openTerminal({
    args: ['install', 'cursor', 'gemini'],
    env: { ...userHome.env, NO_COLOR: '1' },
    rows: 200,
  })
  await terminal.waitForText('Make these changes?')
  expect(terminal.bytes()).not.toContain('\u001B[32m  + ')
  terminal.type(CTRL_C)
  await terminal.waitForText('No changes made.')
  const { code, before: set, after } = await terminal.ended
  expect(code).toBe(130)
  expect(after).toBe(set)
  expect(userHome.allFiles()).toEqual(before)
})

test.skipIf(!HAS_TERMINALS)('a file that was changed during the question is left unchanged', async () => {
  const userHome = newUserHome()
  userHome.write('.cursor/mcp.json', '{}')
  const terminal = await openTerminal({ args: ['install'], env: userHome.env, rows: 60 })
  await terminal.waitForText('Make these changes?')
  userHome.write('.cursor/mcp.json', '{"new": true}')
  terminal.type('y')
  await terminal.waitForText('✗ Cursor: was changed by another program since it was read')
  expect((await terminal.ended).code).toBe(1)
  expect(userHome.read('.cursor/mcp.json')).toBe('{"new": true}')
  expect(readdirSync(join(userHome.home, '.cursor'))).toEqual(['mcp.json'])
})
