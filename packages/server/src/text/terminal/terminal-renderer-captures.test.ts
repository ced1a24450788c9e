// Real output of programs, and the text a terminal shows of it.

import { expect, test } from 'vitest'

import { createTerminalRenderer } from './terminal-renderer.js'

const E = '\x1b['

function shown(printed: string): string {
  let text = ''
  const screen = createTerminalRenderer((bytes) => (text += bytes.toString()))
  for (let at = 0; at < printed.length; at += 7) screen.write(Buffer.from(printed.slice(at, at + 7)))
  screen.end()
  return text
}

test('git clone', () => {
  const counting = Array.from(
    { length: 100 },
    (_, index) => `remote: Counting objects: ${String(index + 1).padStart(3)}% (${index + 1}/100)${E}K\r`,
  )
  const receiving = Array.from(
    { length: 100 },
    (_, index) => `Receiving objects: ${String(index + 1).padStart(3)}% (${index + 1}/100)\r`,
  )
  expect(
    shown(
      `Cloning into 'x'...\n${counting.join('')}remote: Counting objects: 100% (100/100), done.${E}K\n` +
        `${receiving.join('')}Receiving objects: 100% (100/100), 1.20 MiB | 3.40 MiB/s, done.\n`,
    ),
  ).toBe(
    "Cloning into 'x'...\nremote: Counting objects: 100% (100/100), done.\n" +
      'Receiving objects: 100% (100/100), 1.20 MiB | 3.40 MiB/s, done.\n',
  )
})

test('npm install', () => {
  const spinner = '⠙⠹⠸⠼⠴⠦⠧⠇⠏⠋'
    .split('')
    .map((frame) => `${E}1G${E}0K${frame}`)
    .join('')
  expect(
    shown(
      `${spinner.repeat(30)}${E}1G${E}0K\nadded 120 packages in 3s\n${spinner}${E}1G${E}0K\n` +
        `${E}1G${E}0K⠙${E}1G${E}0K23 packages are looking for funding\n`,
    ),
  ).toBe('\nadded 120 packages in 3s\n\n23 packages are looking for funding\n')
})

test('cargo build', () => {
  const bar = (done: number): string =>
    `${E}1m${E}36m    Building${E}0m [${'='.repeat(done)}>${' '.repeat(10 - done)}] ${done}/10: serde, syn\r`
  const crate = (name: string): string => `${E}K${E}1m${E}32m   Compiling${E}0m ${name}\n`
  expect(
    shown(
      `${crate('libc v0.2.155')}${bar(1)}${crate('serde v1.0.203')}${bar(2)}${bar(9)}` +
        `${E}K${E}1m${E}32m    Finished${E}0m \`dev\` profile in 2.31s\n`,
    ),
  ).toBe('   Compiling libc v0.2.155\n   Compiling serde v1.0.203\n    Finished `dev` profile in 2.31s\n')
})

test('pip install', () => {
  const bar = (done: number): string =>
    `\r${E}2K   ${E}38;5;197m${'━'.repeat(done)}╸${E}0m${E}38;5;237m${'━'.repeat(39 - done)}${E}0m ${E}32m${done}.0/40.0 MB${E}0m`
  expect(
    shown(
      `Downloading numpy-2.0.0.whl (40.0 MB)\n${E}?25l${Array.from({ length: 40 }, (_, done) => bar(done)).join('')}` +
        `\r${E}2K   ${E}38;5;106m${'━'.repeat(40)}${E}0m ${E}32m40.0/40.0 MB${E}0m ${E}31m9.9 MB/s${E}0m eta ${E}36m0:00:00${E}0m\n${E}?25hSuccessfully installed numpy-2.0.0\n`,
    ),
  ).toBe(
    `Downloading numpy-2.0.0.whl (40.0 MB)\n   ${'━'.repeat(40)} 40.0/40.0 MB 9.9 MB/s eta 0:00:00\nSuccessfully installed numpy-2.0.0\n`,
  )
})

test('docker compose up', () => {
  const frame = (rows: readonly string[]): string =>
    `${E}?25l${E}0G${E}${rows.length}A${rows.map((row) => `${E}2K${row}\n`).join('')}${E}?25h`
  expect(
    shown(
      '[+] Running 0/3\n ⠋ Network app  Creating\n ⠋ Container db  Creating\n ⠋ Container web  Creating\n' +
        frame([
          '[+] Running 1/3',
          ` ${E}32m✔${E}0m Network app  Created`,
          ' ⠙ Container db  Creating',
          ' ⠙ Container web  Creating',
        ]) +
        frame(['[+] Running 3/3', ' ✔ Network app  Created', ' ✔ Container db  Started', ' ✔ Container web  Started']) +
        'Attaching to db, web\n',
    ),
  ).toBe(
    '[+] Running 3/3\n ✔ Network app  Created\n ✔ Container db  Started\n ✔ Container web  Started\nAttaching to db, web\n',
  )
})

test('docker pull, which updates one row per layer', () => {
  const layer = (up: number, text: string): string => `${E}${up}A${E}2K\r${text}\r${E}${up}B`
  expect(
    shown(
      'latest: Pulling from library/redis\n\naaa: Pulling fs layer \n\nbbb: Pulling fs layer \n'.replaceAll(
        '\n\n',
        '\n',
      ) +
        layer(2, 'aaa: Downloading [==>    ]  1MB/9MB') +
        layer(1, 'bbb: Downloading [=>     ]  1MB/5MB') +
        layer(2, 'aaa: Pull complete') +
        layer(1, 'bbb: Pull complete') +
        'Status: Downloaded newer image\n',
    ),
  ).toBe('latest: Pulling from library/redis\naaa: Pull complete\nbbb: Pull complete\nStatus: Downloaded newer image\n')
})

test('jest', () => {
  const clearStatus = `${E}1A${E}2K`.repeat(4) + `${E}1G`
  const status = (passed: number): string => `\nTests:  ${passed} passed, ${passed} total\nTime:   ${passed} s\n\n`
  expect(
    shown(
      `${E}0m${E}7m${E}33m RUNS ${E}39m${E}27m${E}0m a.test.js\n${E}1A${E}2K${E}1G${E}32mPASS${E}39m a.test.js\n` +
        `${status(1)}${clearStatus}PASS b.test.js\n${status(2)}${clearStatus}PASS c.test.js\n${status(3)}`,
    ),
  ).toBe('PASS a.test.js\nPASS b.test.js\nPASS c.test.js\n\nTests:  3 passed, 3 total\nTime:   3 s\n\n')
})

test('a test runner that clears the screen before each run', () => {
  const run = (result: string): string => `\x1bc${E}3J${E}2J${E}H${E}1m RERUN ${E}0m src/a.ts\n\n ${result}\n`
  expect(shown(`$ vitest\n${run('1 failed')}${run('1 passed')}`)).toBe(' RERUN  src/a.ts\n\n 1 passed\n')
})

test('tput clear, and a table drawn at positions', () => {
  expect(shown(`old\n${E}H${E}2J${E}3J${E}1;1Hname${E}1;10Hsize${E}2;1Ha.txt${E}2;10H12${E}3;1H`)).toBe(
    'name     size\na.txt    12',
  )
})

test('ls --color and grep --color', () => {
  expect(shown(`${E}0m${E}01;34mbin${E}0m  ${E}01;32mrun.sh${E}0m\n`)).toBe('bin  run.sh\n')
  expect(shown(`${E}35m${E}Ka.c${E}m${E}K${E}36m${E}K:${E}m${E}Kint ${E}01;31m${E}Kmain${E}m${E}K()\n`)).toBe(
    'a.c:int main()\n',
  )
})

test('curl and wget', () => {
  const meter = (percent: number): string =>
    `\r${String(percent).padStart(3)} 1000k  ${String(percent).padStart(3)}  ${percent}0k    0     0`
  expect(
    shown(
      `  % Total    % Received\n${Array.from({ length: 101 }, (_, percent) => meter(percent)).join('')}\n{"ok":true}\n`,
    ),
  ).toBe('  % Total    % Received\n100 1000k  100  1000k    0     0\n{"ok":true}\n')
  expect(
    shown(`\rfile     0%[            ] 0\rfile    50%[=====>      ] 5M\rfile   100%[===========>] 10M  in 1s\n`),
  ).toBe('file   100%[===========>] 10M  in 1s\n')
})

test('man, which overstrikes for bold and underline', () => {
  expect(shown('N\bNA\bAM\bME\bE\n       ls - list _\bd_\bi_\br\n')).toBe('NAME\n       ls - list dir\n')
})

test('Windows programs', () => {
  expect(shown(`${E}?25l${E}2J${E}m${E}HMicrosoft Windows\r\n\x1b]0;C:\\cmd.exe\x07${E}?25hdone\r\n`)).toBe(
    'Microsoft Windows\ndone\n',
  )
})
