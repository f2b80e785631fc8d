import { describe, expect, it } from 'vitest'
import { parseSessionDocument } from './session-document.ts'

const message = {
  id: 'msg_1',
  role: 'user',
  status: 'complete',
  parts: [{ type: 'text', text: 'Hello' }],
  created: 1,
  usage: null,
}
const document = {
  format: 'bough.session',
  version: 1,
  exported: 3,
  session: {
    id: 'ses_1',
    title: 'Soup',
    agent: 'offline',
    model: null,
    directory: '/kitchen',
    labels: ['hot'],
    created: 1,
    updated: 2,
  },
  messages: [message],
}
const parse = (value: unknown) => parseSessionDocument('soup.json', JSON.stringify(value))
const withMessage = (more: object) => ({ ...document, messages: [message, { ...message, ...more }] })
const withCall = (args: unknown) =>
  withMessage({ role: 'assistant', parts: [{ type: 'tool-call', callID: 'c', name: 'run', args }] })

describe('a document', () => {
  it('is read as it was written', () => {
    expect(parse(document)).toEqual(document)
    expect(parseSessionDocument('soup.json', `\uFEFF${JSON.stringify(document)}`)).toEqual(document)
  })

  it('may have fields that this bough does not know', () => {
    const session = { ...document.session, colour: 'red' }
    const parts = [{ type: 'text', text: 'Hello', language: 'en' }]
    expect(parse({ ...document, session, messages: [{ ...message, parts, mood: 'good' }], more: 1 })).toEqual(
      document,
    )
  })

  it.each([
    ['', /soup\.json is empty\. Import one that "bough export/],
    ['# Soup', /soup\.json is not JSON .*Import one/],
    [JSON.stringify(document).slice(0, -20), /soup\.json is cut off or damaged .*Import one/],
    ['[]', /soup\.json is JSON, but no session that bough exported/],
    ['null', /no session that bough exported/],
    ['{"format":"else","version":1}', /no session that bough exported/],
    [
      JSON.stringify({ ...document, version: 2 }),
      /newer bough \(its format is version 2\)\. Update this one/,
    ],
    [JSON.stringify({ ...document, version: 'x' }), /soup\.json has no "version" that makes sense/],
  ])('that is none is refused: %s', (text, complaint) => {
    expect(() => parseSessionDocument('soup.json', text)).toThrow(complaint)
  })

  it.each([
    [{ ...document, session: { ...document.session, title: ' ' } }, 'Soup.json has no "session.title"'],
    [{ ...document, messages: {} }, 'soup.json has no "messages"'],
    [withMessage({ role: 'wizard' }), 'Message 2 of soup.json has no "role"'],
    [withMessage({ created: 1e300 }), 'Message 2 of soup.json has no "created"'],
    [withMessage({ created: 0.5 }), 'Message 2 of soup.json has no "created"'],
    [withMessage({ parts: [{ type: 'text' }] }), 'Message 2 of soup.json has no "parts[0].text"'],
    [withMessage({ parts: [{ type: 'picture' }] }), 'Message 2 of soup.json has no "parts[0].type"'],
    [withMessage({ usage: { inputTokens: -1 } }), 'Message 2 of soup.json has no "usage.inputTokens"'],
    [withCall(undefined), 'Message 2 of soup.json has no "parts[0].args"'],
  ])('with something wrong in it is refused, with where it is', (value, complaint) => {
    expect(() => parse(value)).toThrow(new RegExp(RegExp.escape(complaint), 'i'))
  })

  it('may have arguments of any shape, but none that are nested without end', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const text = (depth: number) => JSON.stringify(withCall('here')).replace('"here"', nested(depth))
    expect(parseSessionDocument('soup.json', text(400)).messages).toHaveLength(2)
    expect(() => parseSessionDocument('soup.json', text(100_000))).toThrow('parts[0].args')
    expect(parse(withCall(null)).messages[1]?.parts).toMatchObject([{ args: null }])
  })
})
