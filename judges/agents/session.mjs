// One run of one client: its home is made, the scripted model plays the scenarios, and the client ends by itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { watchConnections } from './connections.mjs'
import { expectEqual } from './expect.mjs'
import { prompt, startScriptedModel } from './model/scripted-model.mjs'
import { killProcesses, processesLeft, processesOf } from './processes.mjs'

/** A client that asks the model nothing for this long hangs. */
const limit = 120_000

/**
 * @param {object} options
 * @param {object} options.driver
 * @param {string} options.packages the node_modules that hold the client
 * @param {object} options.workspace
 * @param {object[]} options.scenarios
 * @param {() => object[]} [options.wire] the messages between client and server, where a tap is in place
 * @param {(session: { workspace: object }) => Promise<void>} [options.during] what happens beside the script
 * @returns the outcome of each scenario (an Error, or undefined where it passed), the model's requests, the facts that were
 *   noted, and the processes that were left
 */
export async function runSession({ driver, packages, workspace, scenarios, wire, during }) {
  const outcomes = new Map(scenarios.map(({ name }) => [name, new Error('the client ended before this')]))
  const facts = {}
  const context = {
    workspace,
    images: driver.images,
    fact: (name, value) => (facts[name] = value),
    sent: () => lastResult(wire()),
    /** What came must be what the server sent, as this client passes it on. */
    arrives(result) {
      const last = lastResult(wire())
      if (!last) throw new Error(`the server sent no result; came ${JSON.stringify(result.blocks)}`)
      expectEqual(result.blocks, driver.passesOn(blocksOf(last), last.isError === true), 'what arrived')
    },
  }
  const model = await startScriptedModel({
    format: driver.format,
    toolName: driver.toolName,
    received: driver.received,
    toolLoader: driver.toolLoader,
    script: () => playAll(scenarios, context, outcomes, driver.warmUp),
  })
  const { file, args, env } = driver.command({ workspace, packages, model: model.url, prompt })
  const connections = watchConnections(workspace.root)
  const client = spawn(file, args, {
    cwd: workspace.project,
    env: { ...workspace.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [client.stdout, client.stderr]) stream.on('data', (data) => (printed += data))
  const ended = once(client, 'close').then(([code, signal]) => code ?? signal)
  const beside = during?.({ workspace }).catch((error) => error)
  const code = await Promise.race([ended, silence(model.requests)])
  if (code === 'silent') killProcesses(processesOf(workspace.root))
  const beyondLoopback = connections()
  const left = await processesLeft(workspace.root)
  killProcesses(left)
  await model.close()
  if (process.env.JUDGE_KEEP) workspace.write('requests.json', model.requests)
  for (const [name, outcome] of outcomes) {
    if (outcome?.message === 'the client ended before this')
      outcomes.set(
        name,
        new Error(
          `${driver.label} ended (${code}) before this scenario was through; it printed ${printed.slice(-800)}`,
        ),
      )
  }
  return { outcomes, facts, left, beyondLoopback, during: await beside, requests: model.requests }
}

async function silence(requests) {
  let count = -1
  while (count !== requests.length) {
    count = requests.length
    await delay(limit, undefined, { ref: false })
  }
  return 'silent'
}

/** A scenario that fails does not end the session: the next one starts with the next call. */
async function* playAll(scenarios, context, outcomes, warmUp) {
  if (warmUp) yield* warmUp()
  for (const { name, run } of scenarios) {
    try {
      yield* run(context)
      outcomes.set(name, undefined)
    } catch (error) {
      outcomes.set(name, error)
    }
  }
}

/** The content of a result with nothing but what a model can see. */
function blocksOf({ content }) {
  return content.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text }
    if (block.type === 'image') return { type: 'image', mimeType: block.mimeType, data: block.data }
    return block
  })
}

/** The result of the last call, as the server sent it. */
function lastResult(messages) {
  const calls = messages.filter(({ from, message }) => from === 'client' && message.method === 'tools/call')
  const id = calls.at(-1)?.message.id
  const answer = messages.findLast(({ from, message }) => from === 'server' && !message.method && message.id === id)
  return answer?.message.result ?? answer?.message.error
}
