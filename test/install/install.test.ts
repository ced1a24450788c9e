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
function personWithEverything(): UserHome {
  const person = newUserHome()
  const other = { command: 'npx', args: ['-y', 'gh'], env: { TOKEN: SECRET } }
  person.write('.claude.json', JSON.stringify({ numStartups: 7, mcpServers: { gh: other } }, null, 2))
  person.write('.config/Claude/claude_desktop_config.json', '{}')
  person.write('.cursor/mcp.json', `{"mcpServers":{"gh":${JSON.stringify(other)}}}`)
  person.write('.config/Code/User/settings.json', '{}')
  person.write('.codeium/windsurf/mcp_config.json', '')
  person.write('.config/devin/config.json', '\uFEFF{\r\n\t"mcpServers": {}\r\n}\r\n')
  person.write('.codex/config.toml', `model = "o5"\n[mcp_servers.gh.env]\nTOKEN = "${SECRET}"\n# the end`)
  person.write('.gemini/settings.json', '{\n    "theme": "Default"\n}\n')
  person.write('.config/opencode/opencode.jsonc', '{\n  "$schema": "https://opencode.ai/config.json"\n}')
  person.write('.copilot/config.json', '{}')
  person.write('.qwen/settings.json', '{"mcpServers": {}}')
  person.write('.cline/data/settings/cline_mcp_settings.json', '{\n  "mcpServers": {}\n}\n')
  person.write(
    '.continue/config.yaml',
    `name: Mine # my own\nmcpServers:\n- name: gh\n  env: {TOKEN: ${SECRET}}\nmodels: []`,
  )
  person.write('.config/zed/settings.json', '// Zed\n{\n  "vim_mode": true, // yes\n  // "context_servers": {}\n}\n')
  return person
}

test('all clients found here are connected, and disconnected without a trace', async () => {
  const person = personWithEverything()
  const before = person.allFiles()
  const { code, text } = await person.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).not.toContain(SECRET)
  const entry = { command: person.executablePath, args: [] }
  const servers = (name: string): object =>
    (JSON.parse(person.read(name).replace('\uFEFF', '')) as { mcpServers: object }).mcpServers
  expect(servers('.claude.json')).toMatchObject({ gh: {}, scorpiox: entry })
  expect(servers('.config/Claude/claude_desktop_config.json')).toEqual({ scorpiox: entry })
  expect(servers('.cursor/mcp.json')).toMatchObject({ gh: {}, scorpiox: entry })
  expect(servers('.codeium/windsurf/mcp_config.json')).toEqual({ scorpiox: entry })
  expect(servers('.config/devin/config.json')).toEqual({ scorpiox: entry })
  expect(servers('.gemini/settings.json')).toEqual({ scorpiox: entry })
  expect(JSON.parse(person.read('.config/Code/User/mcp.json'))).toEqual({
    servers: { scorpiox: { type: 'stdio', ...entry } },
  })
  expect(parse(person.read('.codex/config.toml'))).toMatchObject({ mcp_servers: { gh: {}, scorpiox: entry } })
  expect(person.read('.config/zed/settings.json')).toContain('"context_servers": {\n    "scorpiox": {')
  expect(JSON.parse(person.read('.config/opencode/opencode.jsonc'))).toEqual({
    $schema: 'https://opencode.ai/config.json',
    mcp: { scorpiox: { type: 'local', enabled: true, command: [person.executablePath] } },
  })
  expect(servers('.copilot/mcp-config.json')).toEqual({ scorpiox: { type: 'local', tools: ['*'], ...entry } })
  expect(servers('.qwen/settings.json')).toEqual({ scorpiox: entry })
  expect(servers('.cline/data/settings/cline_mcp_settings.json')).toEqual({ scorpiox: { timeout: 3600, ...entry } })
  expect(parseYaml(person.read('.continue/config.yaml'))).toEqual({
    name: 'Mine',
    mcpServers: [
      { name: 'gh', env: { TOKEN: SECRET } },
      { name: 'scorpiox', ...entry },
    ],
    models: [],
  })
  const connected = person.allFiles()

  const again = await person.run('install', '--yes')
  expect(again).toEqual({ code: 0, text: expect.stringContaining('already installed') })
  expect(again.text.match(/already connected/g)).toHaveLength(14)
  expect(person.allFiles()).toEqual(connected)

  writeFileSync(join(person.home, '.scorpiox', 'state.db'), 'tasks')
  expect((await person.run('uninstall', '--yes')).code).toBe(0)
  expect(person.allFiles()).toEqual(new Map([...before, ['.scorpiox/state.db', 'tasks']]))
})

test('the installed program serves', async () => {
  const person = newUserHome()
  const { code, text } = await person.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('No client was found')
  const client = startServer({ file: person.executablePath, args: [], env: person.env })
  await client.initialize('2025-06-18')
  const { result } = await client.request('tools/call', { name: 'Bash', arguments: { command: 'echo carried on' } })
  expect(result.content[0].text).toContain('carried on')
  // A running server is not disturbed by another installation, nor by its removal.
  await person.run('install', '--yes')
  await person.run('uninstall', '--yes')
  const later = await client.request('tools/call', { name: 'TaskManager', arguments: { action: 'list', query: '' } })
  expect(later.result).toBeDefined()
  expect(await client.close()).toBe(0)
})

test('a dry run changes nothing, nor does a run without a terminal', async () => {
  const person = personWithEverything()
  const before = person.allFiles()
  const looked = await person.run('install', '--dry-run')
  expect(looked.code).toBe(0)
  expect(looked.text).toContain('+     "command": ')
  expect(looked.text).toContain('  + [mcp_servers.scorpiox]')
  expect(looked.text).not.toContain(SECRET)
  const unasked = await person.run('install')
  expect(unasked.code).toBe(1)
  expect(unasked.text).toContain(
    'No changes made: not a terminal. Add --yes to make these changes without confirmation.',
  )
  expect(person.allFiles()).toEqual(before)
  await person.run('install', '--yes')
  const connected = person.allFiles()
  expect((await person.run('uninstall', '--dry-run')).text).toContain('  - [mcp_servers.scorpiox]')
  expect((await person.run('uninstall')).code).toBe(1)
  expect(person.allFiles()).toEqual(connected)
})

test('a named client is connected although it is not found, and its file is removed again', async () => {
  const person = newUserHome()
  expect((await person.run('install', 'cursor', '--yes')).code).toBe(0)
  expect(statSync(join(person.home, '.cursor/mcp.json')).mode & 0o777).toBe(0o600)
  expect(existsSync(join(person.home, '.codex'))).toBe(false)
  expect((await person.run('uninstall', 'cursor', '--yes')).code).toBe(0)
  expect(existsSync(join(person.home, '.cursor/mcp.json'))).toBe(false)
  expect(existsSync(person.executablePath)).toBe(true)
  const unknown = await person.run('install', 'emacs', '--yes')
  expect(unknown).toEqual({
    code: 2,
    text: expect.stringContaining('the clients are claude-code, claude-desktop, cursor'),
  })
})

test('a project is connected on request', async () => {
  const person = newUserHome()
  expect((await person.run('install', 'project', '--cwd', person.home, '--yes')).code).toBe(0)
  expect(JSON.parse(person.read('.mcp.json'))).toEqual({
    mcpServers: { scorpiox: { command: person.executablePath, args: [] } },
  })
})

test('an extended entry of ours keeps its additions, and entries of others are not changed', async () => {
  const person = newUserHome()
  const extended = {
    command: 'node',
    args: ['/old/scorpiox-code.js', '-e', 'MODEL=opus'],
    env: { KEY: SECRET },
    disabled: true,
  }
  person.write('.cursor/mcp.json', JSON.stringify({ mcpServers: { scorpiox: extended } }, null, 2))
  const foreign = JSON.stringify({ mcpServers: { scorpiox: { command: '/usr/bin/scorpion' } } })
  person.write('.gemini/settings.json', foreign)
  const { code, text } = await person.run('install', '--yes')
  expect(code).toBe(0)
  expect(text).toContain('its entry "scorpiox" starts another program')
  expect(text).not.toContain(SECRET)
  expect(text).toContain('"args": ["/old/scorpiox-code.js","-e","MODEL=…"]')
  expect(JSON.parse(person.read('.cursor/mcp.json'))).toEqual({
    mcpServers: { scorpiox: { ...extended, command: person.executablePath, args: ['-e', 'MODEL=opus'] } },
  })
  expect(person.read('.gemini/settings.json')).toBe(foreign)
  expect((await person.run('install', 'gemini', '--yes')).code).toBe(1)
  const gone = await person.run('uninstall', '--yes')
  expect(gone.text).toContain('"env": …')
  expect(gone.text).not.toContain(SECRET)
  expect(JSON.parse(person.read('.cursor/mcp.json'))).toEqual({ mcpServers: {} })
  expect(person.read('.gemini/settings.json')).toBe(foreign)
})

test('while a client cannot be disconnected, the program it starts is kept', async () => {
  const person = newUserHome()
  person.write('.cursor/mcp.json', '{}')
  person.write('.gemini/settings.json', '{}')
  await person.run('install', '--yes')
  person.write('.cursor/mcp.json', person.read('.cursor/mcp.json').slice(0, -3))
  const { code, text } = await person.run('uninstall', '--yes')
  expect(code).toBe(1)
  expect(text).toContain('not removed, because a client that was not changed may start it')
  expect(existsSync(person.executablePath)).toBe(true)
  expect(person.read('.gemini/settings.json')).toBe('{}')
})

test('the last three backups are kept, with their mode', async () => {
  const person = newUserHome()
  person.write('.cursor/mcp.json', '{"theme": 1}')
  for (let round = 0; round < 3; round++) {
    await person.run('install', 'cursor', '--yes')
    await person.run('uninstall', 'cursor', '--yes')
  }
  const kept = readdirSync(join(person.home, '.cursor')).filter((name) => name.startsWith('mcp.json.scorpiox-backup-2'))
  expect(kept).toHaveLength(3)
  for (const name of kept) expect(statSync(join(person.home, '.cursor', name)).mode & 0o777).toBe(0o644)
})

test.skipIf(!HAS_TERMINALS)('on a terminal it asks, shows colours, and applies the answers', async () => {
  const person = personWithEverything()
  const before = person.allFiles()
  const terminal = await openTerminal({ args: ['install', 'cursor', 'gemini'], env: person.env, rows: 200 })
  await terminal.waitForText('Make these changes?')
  expect(terminal.bytes()).toContain('\u001B[32m  + ')
  terminal.type(ENTER)
  await terminal.waitForText('No changes made.')
  expect((await terminal.ended).code).toBe(0)
  expect(person.allFiles()).toEqual(before)

  const second = await openTerminal({ args: ['install', 'cursor', 'zed'], env: person.env, rows: 200 })
  await second.waitForText('Make these changes?')
  second.type('e')
  await second.waitForText(/◆ +Cursor/)
  second.type('n')
  await second.waitForText(/◆ +Zed/)
  second.type('y')
  await second.waitForText('✓ Zed: connected')
  expect((await second.ended).code).toBe(0)
  expect(person.read('.cursor/mcp.json')).not.toContain('scorpiox')
  expect(person.read('.config/zed/settings.json')).toContain(person.executablePath)
})

test.skipIf(!HAS_TERMINALS)('exiting without an answer changes nothing', async () => {
  const person = personWithEverything()
  const before = person.allFiles()
  const terminal = await openTerminal({
    args: ['install', 'cursor', 'gemini'],
    env: { ...person.env, NO_COLOR: '1' },
    rows: 200,
  })
  await terminal.waitForText('Make these changes?')
  expect(terminal.bytes()).not.toContain('\u001B[32m  + ')
  terminal.type(CTRL_C)
  await terminal.waitForText('No changes made.')
  const { code, before: set, after } = await terminal.ended
  expect(code).toBe(130)
  expect(after).toBe(set)
  expect(person.allFiles()).toEqual(before)
})

test.skipIf(!HAS_TERMINALS)('a file that was changed during the question is left unchanged', async () => {
  const person = newUserHome()
  person.write('.cursor/mcp.json', '{}')
  const terminal = await openTerminal({ args: ['install'], env: person.env, rows: 60 })
  await terminal.waitForText('Make these changes?')
  person.write('.cursor/mcp.json', '{"new": true}')
  terminal.type('y')
  await terminal.waitForText('✗ Cursor: was changed by another program since it was read')
  expect((await terminal.ended).code).toBe(1)
  expect(person.read('.cursor/mcp.json')).toBe('{"new": true}')
  expect(readdirSync(join(person.home, '.cursor'))).toEqual(['mcp.json'])
})
