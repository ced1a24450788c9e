// The clients that are driven. README.md says what a driver is.
import { claudeCode } from './drivers/claude-code.mjs'
import { codex, codexCodeMode } from './drivers/codex.mjs'
import { geminiCli } from './drivers/gemini.mjs'
import { opencode } from './drivers/opencode.mjs'

export const drivers = [claudeCode, codex, codexCodeMode, geminiCli, opencode]
