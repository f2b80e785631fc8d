import fc from 'fast-check'

// What nobody sends who means well.

export const deep = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { value }
  return value
}

export const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 63,
    '',
    ' ',
    [],
    {},
    [[]],
    [null],
  ),
  fc.constantFrom<unknown[]>(
    '\u0000',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    '__proto__',
    'constructor',
    '#{x}',
    '$(id)',
    '{{7*7}}',
  ),
  fc.constantFrom<unknown[]>(
    'x'.repeat(5_000),
    'ä'.repeat(20_000),
    Array(300).fill('x'),
    deep(50),
    deep(2_000),
  ),
  fc
    .jsonValue({ maxDepth: 3 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('/', '|').replaceAll('«', '<'))),
)

export const extraNames = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'extra',
  '',
  'Title',
  'id ',
  '0',
)

export const rawBody = fc.constantFrom(
  ...[
    '',
    ' ',
    '{',
    '}',
    '[',
    '{"',
    '{"a":',
    '{"a":1,}',
    "{'a':1}",
    'null',
    'undefined',
    'NaN',
    '\ufeff{}',
    '{}{}',
    '\u0000',
  ],
  ...[
    '['.repeat(50_000),
    '{"a":'.repeat(20_000),
    `"${'x'.repeat(100_000)}"`,
    '1e999999',
    `${'9'.repeat(10_000)}`,
  ],
  ...[
    '{"title":"a","title":"b"}',
    '{"\\u005f_proto__":{"title":"x"}}',
    '{"constructor":{"prototype":{"x":1}}}',
  ],
)

export const oddText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    'true ',
    'TRUE',
    'null',
    '[]',
    '../..',
    '.',
    '*',
    '__proto__',
  ),
  fc.constantFrom(
    '\u0000',
    '\n',
    '\r\nX: y',
    '\ud7ff',
    '😀',
    'x'.repeat(6_000),
    '%',
    '%zz',
    '%c0%af',
    '%2f',
    '%00',
    '+',
    '&',
    '#',
    '?',
  ),
)

export const oddMethod = fc.constantFrom(
  'PUT',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'PATCH',
  'DELETE',
  'GET',
  'POST',
  'PROPFIND',
  'SEARCH',
  'M-SEARCH',
)

export const oddPath = fc
  .tuple(
    fc.constantFrom(
      '',
      '/',
      '/session',
      '/session/«SessionID:0»',
      '/channel/«ChannelID:0»',
      '/import',
      '/event',
      '/nothing',
    ),
    fc.constantFrom(
      '',
      '/',
      '//',
      '/.',
      '/..',
      '/%2e%2e',
      '/%2f',
      '/%00',
      '/%',
      '/%zz',
      ';a=b',
      '?',
      '??',
      '#',
      '/message/',
      '/a/b/c/d',
      '/%E0%A4%A',
      '/__proto__',
      '/constructor',
    ),
  )
  .map(([head, tail]) => (head + tail).replace(/^(?!\/)/, '/'))

export const oddHeaders = fc.constantFrom<Readonly<Record<string, string>>[]>(
  { authorization: '' },
  { authorization: 'Bearer x' },
  { origin: 'http://evil.example' },
  { host: 'evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { accept: 'text/event-stream', 'last-event-id': '-1' },
  { accept: 'text/event-stream', 'last-event-id': '99999999999999' },
  { 'last-event-id': 'x' },
  { accept: '*/*;;;,,' },
  { 'x-http-method-override': 'DELETE' },
  { expect: '100-continue' },
  { 'transfer-encoding': 'chunked' },
  { 'if-none-match': '*' },
  { range: 'bytes=0-1' },
  { cookie: '__proto__=1' },
)

/** With these nobody is let in. */
export const closedHeaders = fc.constantFrom<Readonly<Record<string, string>>[]>(
  { authorization: '' },
  { authorization: 'Bearer x' },
  { authorization: 'Basic eDp4' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { host: 'evil.example' },
  { 'sec-fetch-site': 'cross-site' },
)
