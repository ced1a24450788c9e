import { expect, test } from 'vitest'

import { decodeText } from './decode-text.js'

const latin = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))
const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = (...values: number[]) => Uint8Array.from(values)

/** Encoded text, its Content-Type, and the expected text. */
test.each<[string, Uint8Array, string, string]>([
  ['no declaration, UTF-8', utf8('Zażółć gęślą jaźń'), '', 'Zażółć gęślą jaźń'],
  ['no declaration, not UTF-8', latin('caf\xe9 \x93quoted\x94'), '', 'café “quoted”'],
  ['the header', bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2), 'text/html; charset=windows-1251', 'Привет'],
  ['the header, quoted', bytes(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2), 'text/html; charset="WINDOWS-1251"', 'Привет'],
  ['Shift_JIS', bytes(0x93, 0xfa, 0x96, 0x7b), 'text/html; charset=shift_jis', '日本'],
  ['EUC-JP', bytes(0xc6, 0xfc, 0xcb, 0xdc), 'text/html; charset=euc-jp', '日本'],
  ['GBK', bytes(0xd6, 0xd0, 0xce, 0xc4), 'text/html; charset=gb2312', '中文'],
  ['GB18030', bytes(0xd6, 0xd0, 0xce, 0xc4), 'text/html; charset=gb18030', '中文'],
  ['Big5', bytes(0xa4, 0xa4, 0xa4, 0xe5), 'text/html; charset=big5', '中文'],
  ['EUC-KR', bytes(0xc7, 0xd1, 0xb1, 0xdb), 'text/html; charset=euc-kr', '한글'],
  ['KOI8-R', bytes(0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4), 'text/plain; charset=koi8-r', 'Привет'],
  ['ISO-2022-JP by its escapes', bytes(0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42), '', '日本'],
  ['a byte order mark against the header', bytes(0xef, 0xbb, 0xbf, 0xc3, 0xa9), 'text/html; charset=latin1', 'é'],
  ['UTF-16 little', bytes(0xff, 0xfe, 0x68, 0, 0x69, 0), '', 'hi'],
  ['UTF-16 big', bytes(0xfe, 0xff, 0, 0x68, 0, 0x69), '', 'hi'],
  ['UTF-8 sent as Latin-1', utf8('naïve'), 'text/html; charset=ISO-8859-1', 'naïve'],
  ['Latin-1 sent as Latin-1', latin('na\xefve'), 'text/html; charset=ISO-8859-1', 'naïve'],
  ['an unknown name', utf8('naïve'), 'text/html; charset=klingon', 'naïve'],
  ['broken UTF-8 that says it is', bytes(0x61, 0xff, 0x62), 'text/html; charset=utf-8', 'a\uFFFDb'],
  ['UTF-8 cut within a character', utf8('naïve 中').subarray(0, -1), '', 'naïve \uFFFD'],
])('%s', (_, encoded, contentType, text) => {
  expect(decodeText(encoded, contentType)).toBe(text)
})

test.each([
  '<meta charset="windows-1251">',
  "<META CHARSET = 'windows-1251' />",
  '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
  '<?xml version="1.0" encoding="windows-1251"?>',
])('the markup declares the encoding: %s', (markup) => {
  const page = Buffer.concat([Buffer.from(markup), Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])])
  expect(decodeText(page, 'text/html')).toBe(`${markup}Привет`)
})

test('markup that was readable as ASCII is not UTF-16', () => {
  expect(decodeText(utf8('<meta charset="utf-16">é'), '')).toBe('<meta charset="utf-16">é')
})
