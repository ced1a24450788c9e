// The smallest server of this folder: one tool, without a description.
import { defineTool, serve } from '@scorpiox/mcp'
import { conjugate, formOf } from './conjugate.mjs'

const undescribed = defineTool({ name: conjugate.name, input: conjugate.input, run: formOf })

await serve({ name: 'minimcp-grammar', version: '0.1.0', tools: [undescribed] })
