// Lists that change: each trigger adds an entry to its list, or removes it, and notifies the client.
import { definePrompt } from '../../dist/library.mjs'
import { tool } from './pieces.mjs'

const shown = { tools: false, prompts: false }

const temporaryTool = tool('test_visiting_tool', 'Is listed every other time.', { run: () => 'Here for now.' })

const temporaryPrompt = definePrompt({
  name: 'test_visiting_prompt',
  description: 'Is listed every other time.',
  get: () => [{ role: 'user', content: 'Here for now.' }],
})

export const triggers = [trigger('tools', 'test_trigger_tool_change'), trigger('prompts', 'test_trigger_prompt_change')]

export function temporaryTools() {
  return shown.tools ? [temporaryTool] : []
}

export function temporaryPrompts() {
  return shown.prompts ? [temporaryPrompt] : []
}

function trigger(list, name) {
  return tool(name, `Changes the list of ${list}.`, {
    run: (_input, call) => {
      shown[list] = !shown[list]
      call.notifyListChanged(list)
      return `The list of ${list} has changed.`
    },
  })
}
