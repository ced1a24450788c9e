// A PDF of a few kilobytes whose page expands to as many megabytes as wanted.

import { once } from 'node:events'
import { createDeflate, deflateSync } from 'node:zlib'

export async function pdfBomb(megabytes: number): Promise<Buffer> {
  const content = await deflateTwice(megabytes)
  return pdfWith(`/Filter [/FlateDecode /FlateDecode] /Length ${content.length}`, content)
}

/** Spaces, which are valid between the operators of a page. */
async function deflateTwice(megabytes: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 })
  const chunks: Buffer[] = []
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk))
  const megabyte = Buffer.alloc(1024 * 1024, ' ')
  for (let count = 0; count < megabytes; count++) if (!deflate.write(megabyte)) await once(deflate, 'drain')
  deflate.end()
  await once(deflate, 'end')
  return deflateSync(Buffer.concat(chunks), { level: 9 })
}

/** A PDF of one page with this content. */
export function pdfWith(streamEntries: string, content: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const positions: number[] = []
  const size = (): number => parts.reduce((sum, { length }) => sum + length, 0)
  const add = (...body: readonly (string | Buffer)[]): void => {
    positions.push(size())
    parts.push(Buffer.from(`${positions.length} 0 obj\n`))
    parts.push(...body.map((part) => Buffer.from(part)), Buffer.from('\nendobj\n'))
  }
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add('<< /Type /Pages /Kids [3 0 R] /Count 1 >>')
  add('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >>')
  add(`<< ${streamEntries} >>\nstream\n`, content, '\nendstream')
  const rows = positions.map((position) => `${String(position).padStart(10, '0')} 00000 n \n`).join('')
  const table = size()
  parts.push(
    Buffer.from(`xref\n0 5\n0000000000 65535 f \n${rows}trailer << /Size 5 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF`),
  )
  return Buffer.concat(parts)
}
