// The clients that are driven. README.md describes drivers.
import { claudeCode } from './drivers/claude-code.mjs'
import { cline } from './drivers/cline.mjs'
import { codex, codexCodeMode } from './drivers/codex.mjs'
import { continueCli } from './drivers/continue.mjs'
import { copilot } from './drivers/copilot.mjs'
import { geminiCli } from './drivers/gemini.mjs'
import { opencode } from './drivers/opencode.mjs'
import { qwen } from './drivers/qwen.mjs'

export const drivers = [claudeCode, codex, codexCodeMode, geminiCli, opencode, copilot, qwen, cline, continueCli]
