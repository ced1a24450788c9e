// Stands in for bash.exe under Wine, where Git for Windows cannot be had. It is no shell: it takes the arguments that the
// server gives to Git Bash, answers the probe for a bash, and hands the command to cmd.exe. `leave <program>` leaves the
// program running in the background, as `&` does in bash, and lists it as MSYS would. Made an executable by prepare-wine.mjs.
const { spawn } = require('node:child_process')
const { appendFileSync, existsSync, readFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const path = require('node:path')

const words = process.argv.slice(2)
const script = words[words.indexOf('-c') + 1] ?? ''
const command = (words.at(-1) ?? '').trim().replaceAll('\u0001', '\\')
const processTable = path.join(tmpdir(), 'stand-in-processes.txt')
if (words[0] === '-p' && script.includes('BASH_VERSION')) {
  console.log('bash 5.2.37(1)-release msys hpBc')
} else if (script.includes('/environ')) {
  if (existsSync(processTable)) process.stdout.write(readFileSync(processTable, 'utf8'))
} else if (command.startsWith('leave ')) {
  const [file, ...rest] = command.split(' ').slice(1)
  const child = spawn(file, rest, { detached: true, stdio: 'ignore' })
  appendFileSync(processTable, `${process.pid + 1} 1 ${process.pid} ${child.pid} ${process.env.SCORPIOX_TREE}\n`)
  child.unref()
} else {
  const options = { stdio: 'inherit', windowsVerbatimArguments: true }
  const child = spawn(process.env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', `"${command}"`], options)
  child.once('error', (error) => {
    console.log(error.message)
    process.exitCode = 127
  })
  child.once('exit', (code) => (process.exitCode = code ?? 1))
}
