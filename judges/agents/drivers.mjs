// The clients that are driven. README.md says what a driver is.
import { claudeCode } from './drivers/claude-code.mjs'

export const drivers = [claudeCode]
