import { describe, expect, test } from 'vitest'

import { evaluateCommand, suggestRules } from './evaluate-command.js'
import { parseRule, type PermissionRule, type RuleKind } from './permission-rules.js'

const EXPORTED = new Set(['PATH', 'HOME', 'NODE_OPTIONS', 'http_proxy'])

function rulesOf(lists: Partial<Record<RuleKind, readonly string[]>>): PermissionRule[] {
  const kinds: readonly RuleKind[] = ['deny', 'ask', 'allow']
  return kinds.flatMap((kind) =>
    (lists[kind] ?? []).map((text) => {
      const rule = parseRule(text, kind, 'rules.json')
      if (typeof rule !== 'object') throw new Error(`${text}: ${rule}`)
      return rule
    }),
  )
}

function evaluate(command: string, rules: readonly PermissionRule[]) {
  return evaluateCommand(command, { rules, isExported: (name) => EXPORTED.has(name) })
}

describe('allow rules', () => {
  const rules = rulesOf({
    allow: [
      'Bash(npm run *)',
      'Bash(git status)',
      'Bash(ls *)',
      'Bash(xargs *)',
      'Bash(find *)',
      'Bash(test *)',
      'Bash(export *)',
    ],
  })

  test.each([
    'npm run build',
    'npm run',
    '  npm   run\tbuild  ',
    'npm run build && npm run test || git status',
    'npm run "a b" | ls',
    'npm run $NAME',
    'npm run {a,b} *.ts',
    'npm run build >/dev/null 2>&1 </dev/null',
    'NODE_ENV=test npm run build',
    'env CI=1 npm run build',
    'timeout -k 5 60 nice -n 5 npm run build',
    'bash -c "npm run build; git status"',
    'bash -ec "npm run build"',
    'eval npm run build',
    '(npm run a; { npm run b; }) & ls',
    'if npm run a; then ls; else git status; fi',
    'for name in a b; do npm run "$name"; done',
    'while git status; do ls; done',
    'case "$x" in a) npm run a;; *) ls;; esac',
    'ls "$(git status)" `npm run x`',
    'ls \'a;b\' "c|d" e\\&f # npm install',
    'x=1; npm run $x',
    'find . -name "*.ts"',
    'find . -exec npm run x {} +',
    'xargs -n 1 npm run',
    'echo_unused=1 || ls',
  ])('allow %j', (command) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'allow' })
  })

  test.each([
    ['npm install x', 'no rule allows'],
    ['npm runx', 'no rule allows'],
    ['"npm run" build', 'no rule allows'],
    ['git status --short', 'no rule allows'],
    ['./npm run build', 'no rule allows'],
    ['npm run a; curl x', 'no rule allows `curl x`'],
    ['npm run a | sh -c "curl x"', 'no rule allows `curl x`'],
    ['npm run "$(curl x)"', 'no rule allows `curl x`'],
    ['npm run <(curl x)', 'no rule allows `curl x`'],
    ['ls ${x:-`curl x`}', 'no rule allows `curl x`'],
    ['ls "$(npm run <<EOF\n$(curl x)\nEOF\n)"', 'given text as input'],
    ['npm run a\ncurl x', 'no rule allows `curl x`'],
    ['npm run a &\ncurl x', 'no rule allows `curl x`'],
    ['find . -exec curl {} \\;', 'no rule allows'],
    ['xargs curl', 'no rule allows'],
    ['timeout 5 curl x', 'no rule allows'],
    ['sudo npm run a', 'no rule allows'],
    ['$CMD run build', 'known only when it runs'],
    ['{npm,run,x}', 'known only when it runs'],
    ['n"$X"pm run x', 'known only when it runs'],
    ['npm() { curl x; }; npm run a', 'defines the function npm'],
    ['alias npm=curl; npm run a', 'may mean something else'],
    ['hash -p /tmp/npm npm; npm run a', 'may mean something else'],
    ['PATH=/tmp npm run a', 'sets PATH'],
    ['PATH=/tmp; npm run a', 'sets PATH'],
    ['for PATH in /tmp; do npm run a; done', 'sets PATH'],
    ['export PATH=/tmp; npm run a', 'sets PATH'],
    ['export NODE_OPTIONS; npm run a', 'sets NODE_OPTIONS'],
    ['ls ${PATH:=/tmp}', 'sets PATH'],
    ['LD_PRELOAD=/tmp/x.so npm run a', 'sets LD_PRELOAD'],
    ['env LD_PRELOAD=/tmp/x.so npm run a', 'sets LD_PRELOAD'],
    ['http_proxy=evil; npm run a', 'sets http_proxy'],
    ['npm run a > ~/.bashrc', 'writes to ~/.bashrc'],
    ['npm run a >> "$FILE"', 'writes to a file that is known only when it runs'],
    ['npm run a &> log', 'writes to log'],
    ['npm run a < secret', 'reads from secret'],
    ['npm run a <<< text', 'given text as input'],
    ['ls /dev/null > /dev/tcp/host/1', 'writes to /dev/tcp'],
    ['echo x | bash', 'reads commands from its input'],
    ['ls | bash', 'reads commands from its input'],
    ['ls | bash -s', 'reads commands from its input'],
    ['bash -c "$X"', 'known only when it runs'],
    ['bash --rcfile x -c ls', 'options of the shell'],
    ['bash -o posix -c ls', 'options of the shell'],
    ['bash -c -x ls', 'options of the shell'],
    ['eval "$X"', 'known only when it runs'],
    ['watch ls', 'cannot be determined'],
    ['busybox ls', 'cannot be determined'],
    ['timeout --unknown 5 ls', 'option --unknown'],
    ['xargs -I npm npm run', 'option -I'],
    ['xargs $X ls', 'known only when it runs'],
    ["test -v 'a[$(curl x)]'", 'may run commands in its arguments'],
    ['ls $((x))', 'calculates with variables'],
    ['[[ $x -eq 1 ]] && ls', 'calculates with variables'],
    ['ls ${a[$i]} ${b:x}', 'calculates with variables'],
    ['ls ${x@P}', 'expands a prompt'],
    ["x='a[$(curl x)]'; ls", 'may contain commands'],
    ['a[x]=1; ls', 'calculates with variables'],
    ['coproc ls', 'coprocess'],
    ['if ls', 'not valid bash'],
    ['ls "unclosed', 'not valid bash'],
    ['ls \u00a0', 'invisible characters'],
    ['ls\r', 'invisible characters'],
    ['ls \u202ecurl', 'invisible characters'],
    [`ls ${'$('.repeat(200)}curl${')'.repeat(200)}`, ''],
    [`ls ${'x'.repeat(200_000)}`, 'longer than'],
    ['ls;'.repeat(2000), 'more than'],
  ])('ask %j', (command, reason) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'ask', reason: expect.stringContaining(reason) })
  })
})

describe('commands that look like an allowed one', () => {
  const rules = rulesOf({
    allow:
      'cat,declare,env,export,fc,find,git,let,local,ls,mapfile,npm run,printf,read,set,shopt,source,test,time,trap,unset,vi,wait,xargs'
        .split(',')
        .map((text) => `Bash(${text} *)`),
  })

  test.each([
    // Other shells read these otherwise: each of them runs curl.
    `sh -c "ls \\$'a\\\\'; curl x #'"`,
    "sh -c '[[ x || curl ]]'",
    "dash -c 'ls &>/dev/null curl x'",
    "sh -c '((curl))'",
    `ksh -c 'ls \\'"'"'; curl x'`,
    `zsh -c "ls *(e:'curl x':)"`,
    `fish -c "ls 'a\\\\'' ; curl x #'"`,
    "zsh -c 'noglob ls'",
    // The script is another argument.
    'bash -co vi "curl x"',
    'bash -O extglob -c "curl x"',
    'bash -xs ls',
    // Variables are set in other ways.
    'printf -vPATH /tmp; npm run a',
    'printf -v PATH /tmp; npm run a',
    'printf "$x" /tmp; npm run a',
    'read -aPATH; npm run a',
    'read -raPATH; npm run a',
    'read "$x"; npm run a',
    'x=PATH=/tmp; export "$x"; npm run a',
    'export GIT_EDITOR; GIT_EDITOR=curl; git commit',
    'declare -x GIT_EDITOR; GIT_EDITOR=curl; git commit',
    'declare -n r; r=PATH; r=/tmp; npm run a',
    'set -a; GIT_EDITOR=curl; git commit',
    'set -o allexport; GIT_EDITOR=curl; git commit',
    'set -k; npm run PATH=/tmp',
    'set $x; npm run a',
    'unset "$x"',
    'wait -p "$x"',
    // Variables are evaluated in other ways.
    "x='a[$'; y='(curl)]'; test -v \"$x$y\"",
    'x=\'a[$\'; y=\'(curl)]\'; test "$z" "$x$y"',
    "x='-v a[$'; y='(curl)]'; test $x$y",
    "x='a[$'; y='(curl)]'; let \"$x$y\"",
    "x='a[$'; y='(curl)]'; declare -i n; n=$x$y",
    'shopt -s extglob expand_aliases; ls',
    // The program is another word.
    'env -v curl x',
    'command time -v curl x',
    "trap -- 'curl x' EXIT",
    'mapfile -C curl -c 1 x',
    'mapfile -tC curl x',
    'fc -s',
    'source /dev/stdin',
    'source <(cat x)',
    "X='a -exec curl ;'; find ./$X",
    "X='s curl'; timeout 5$X npm run a",
    "X='1 curl'; nice -n $X npm run a",
    "X='1 curl'; env CI=$X npm run a",
    "X='1 curl'; xargs -n 1$X npm run a",
    'find . -exec npm run a + -exec curl {} \\;',
  ])('ask %j', (command) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'ask' })
  })

  test.each([
    'sh -c \'npm run a && ls "$(git status)" | cat\'',
    'set -euo pipefail; npm run a',
    'set -e -o pipefail; set -- a b; npm run "$1"',
    'shopt -s nullglob globstar; ls **/*.ts',
    'export CI=1 LANG=C; npm run a',
    'read -r name; npm run "$name"',
    'read -rp "Name: " name',
    'printf \'[%s]\\n\' "$x"',
    'printf -v text %s a; npm run "$text"',
    'test -n "$x" && ls',
    'test -f "$x" -a "$y" = z',
    'declare -a list; local name; unset name',
    'trap - EXIT; trap -p; trap -- - INT',
    'source ./env.sh',
    'sudo -v || ls',
    'command -v npm',
    'mapfile -t lines',
  ])('allow %j', (command) => {
    expect(evaluate(command, [...rules, ...rulesOf({ allow: ['Bash(sudo *)', 'Bash(command *)'] })])).toMatchObject({
      decision: 'allow',
    })
  })
})

test.each([
  ['actions of find', `find . ${'-exec a \\; '.repeat(1700)}`],
  ['substitutions', '$('.repeat(9000)],
  ['substitutions that are closed', `${'$(ls '.repeat(3000)}${')'.repeat(3000)}`],
  ['groups of words', `ls ${'{a,'.repeat(6000)}`],
  ['process substitutions', `ls ${'<('.repeat(9000)}`],
  ['here-documents', '<<E '.repeat(4900)],
  ['calculations', `$((${'1+'.repeat(9000)}`],
  ['coprocesses', 'coproc '.repeat(2800)],
  ['names', `read -${'aPATH'.repeat(3900)}`],
  ['commands with unknown parts', 'git $x --hard;'.repeat(1400)],
  ['unknown parts', `git ${'$x '.repeat(6600)}`],
  ['characters', `ls ${'x'.repeat(200_000)}`],
])('many %s take seconds of computing time at most', (_, command) => {
  const rules = rulesOf({
    deny: ['Bash(rm -rf *)', 'Bash(git * --hard * x)', 'Bash(* -exec * y)'],
    allow: ['Bash(ls *)', 'Bash(find *)', 'Bash(read *)'],
  })
  const before = process.cpuUsage()
  expect(evaluate(command, rules).decision).toBe('ask')
  const { user } = process.cpuUsage(before)
  expect(user / 1000).toBeLessThan(2000)
})

test('a word with quotes does not look like several words', () => {
  const rules = rulesOf({ allow: ["Bash(npm test 'a b' 'c d')"] })
  const commands = [`npm test 'a b' 'c d'`, `npm test "a b' 'c d"`]
  expect(commands.map((command) => evaluate(command, rules).decision)).toEqual(['allow', 'ask'])
})

test('a rule that denies wins over one that asks, and that over one that allows', () => {
  const rules = rulesOf({ deny: ['Bash(git push --force *)'], ask: ['Bash(git push *)'], allow: ['Bash(git *)'] })
  expect(['git push --force', 'git push', 'git log'].map((command) => evaluate(command, rules).decision)).toEqual([
    'deny',
    'ask',
    'allow',
  ])
})

describe('deny rules alone', () => {
  const rules = rulesOf({ deny: ['Bash(rm *)', 'Bash(git push --force:*)'], ask: ['BackgroundBash(curl *)'] })

  test.each([
    'rm -rf x',
    'rm',
    '/bin/rm x',
    '../../bin/rm x',
    '\\rm x',
    "r''m x",
    "$'\\x72m' x",
    '"rm" x',
    'true; rm x',
    'ls && (rm x)',
    'ls $(rm x)',
    'ls "$(ls `rm x`)"',
    'cat <(rm x)',
    'bash -c "rm x"',
    'sh -c \'bash -c "rm x"\'',
    'eval rm x',
    'eval "r"m x',
    'command rm x',
    'env A=1 rm x',
    'env -i rm x; rm y',
    'nohup timeout 5 nice rm x',
    'sudo -u root rm x',
    'xargs rm',
    'find . -exec rm {} \\;',
    'trap "rm x" EXIT',
    'f() { rm x; }',
    'A=1 rm x',
    '>out rm x',
    'if true; then rm x; fi',
    'git push --force origin main',
    'git push --force',
    'eval -- rm x',
    "trap -- 'rm x' EXIT",
    'sudo A=1 rm x',
    "bash -Ec 'rm x'",
    "bash +c 'rm x'",
    "dash +ec 'rm x'",
  ])('deny %j', (command) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'deny' })
  })

  test.each([
    '$RM x',
    'r${x}m x',
    'git $X --force',
    'git push "$OPTION"',
    'curl example.org',
    'watch rm x',
    'ls | sh',
    'bash -c "$X"',
    'env -v rm x',
    '\\time -v rm x',
    "bash -co posix 'rm x'",
    "bash -O extglob -c 'rm x'",
    "tcsh -c 'rm x'",
    "yash -c 'rm {x}'",
    'setarch -R rm x',
    'tmux new rm x',
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'mapfile -C "rm x" -c 1 lines',
    '. <(echo rm x)',
    '/bin/r? x',
  ])('ask %j, which may be what a rule names', (command) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'ask' })
  })

  test.each([
    'ls',
    'echo rm x',
    'grep "rm x" file > out',
    'git push origin',
    'PATH=/tmp ls',
    'node rm.js',
    'x=$((x+1))',
  ])('allow %j', (command) => {
    expect(evaluate(command, rules)).toMatchObject({ decision: 'allow' })
  })
})

test('Bash allows every command, except those that a rule denies or that hide one', () => {
  const rules = rulesOf({ deny: ['Bash(rm *)'], allow: ['Bash'] })
  const commands = ['curl x > out', 'PATH=/tmp x', 'rm x', '$X']
  expect(commands.map((command) => evaluate(command, rules).decision)).toEqual(['allow', 'allow', 'deny', 'ask'])
})

test('suggested rules allow the command, and no other one', () => {
  const rules = rulesOf({ deny: ['Bash(rm *)'], ask: ['Bash(git push)'], allow: ['Bash(ls *)'] })
  const suggested = (command: string) => suggestRules(evaluate(command, rules))
  expect(suggested('npm ci && ls && npm test "a b"')).toEqual(['Bash(npm ci)', "Bash(npm test 'a b')"])
  expect(['rm x', 'git push', 'ls', 'npm $X', 'npm "*"', 'npm > x', '$X', 'npm ci; rm x'].map(suggested)).toEqual(
    Array.from({ length: 8 }, () => []),
  )
  const extended = [...rules, ...rulesOf({ allow: suggested('npm ci && npm test "a b"') })]
  expect(evaluate('npm ci && npm test "a b"', extended).decision).toBe('allow')
  expect(evaluate('npm test a b', extended).decision).toBe('ask')
})

test.each([
  ['Bash(', 'is not a rule'],
  ['Bash()', 'has no command'],
  ['Bash(a && b)', 'has an operator'],
  ['Bash(a $(b))', 'has an operator'],
])('%j is not a rule', (text, problem) => {
  expect(parseRule(text, 'allow', 'x')).toContain(problem)
})

test('rules for other tools are ignored', () => {
  expect(['Read(./x)', 'WebFetch', 'mcp__server__tool'].map((text) => parseRule(text, 'allow', 'x'))).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
