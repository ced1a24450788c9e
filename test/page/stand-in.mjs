// Serves the built page with a scene of scenes.mjs, named by the token: for screenshots and extreme data. Prints its
// address and ends with its stdin.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

import { approvalDetails, PLAN, SCENES } from './scenes.mjs'

const PAGE = join(import.meta.dirname, '../../dist/page')
const FILES = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/terminal.js': ['terminal.js', 'text/javascript; charset=utf-8'],
  '/terminal.css': ['terminal.css', 'text/css; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
}
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const server = createServer((request, response) => {
  const file = FILES[request.url]
  if (file !== undefined) {
    response.writeHead(200, { 'content-type': file[1], 'content-security-policy': POLICY })
    return response.end(readFileSync(join(PAGE, file[0])))
  }
  if (request.url === '/login.json') {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end('{"kind":"server"}')
  }
  const scene = SCENES[request.headers.authorization?.replace('Bearer ', '')]
  if (scene === undefined) return response.writeHead(401).end()
  if (request.url === '/board') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.write(`data: ${JSON.stringify(scene(Date.now()))}\n\n`)
  }
  if (request.url === '/board/output') {
    const text = scene(Date.now()).jobs[0].tail.repeat(20)
    const event = { from: 2e6, next: 3e6, size: 3.1e8, isRunning: true, missing: 52_000, text, open: '', isLast: true }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify(event)}\n\n`)
  }
  if (request.url === '/board/approval') {
    return request.setEncoding('utf8').on('data', (body) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(approvalDetails(JSON.parse(body).id)))
    })
  }
  if (request.url === '/board/plan') {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ text: PLAN }))
  }
  response.writeHead(409, { 'content-type': 'application/json' })
  return response.end('{"error":"This is a picture of a board; nothing can be done with it."}')
})

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`)
})
process.stdin.resume().on('end', () => process.exit())
