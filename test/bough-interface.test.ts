import { describe, expect, it } from 'vitest'
import { routes } from '../src/wire/routes.ts'
import { newHome, openForTest } from './support/bough.ts'
import { connectForTest, serveForTest } from './support/server.ts'

// What each method does is in test/support/bough-suite/, and runs twice by test/bough-*.test.ts.

describe('the interface of bough', () => {
  it('has a route for every method, by its name; only closing is nobody else’s business', async () => {
    const bough = await openForTest(await newHome())
    const methods = Object.keys(bough).filter((name) => name !== 'close')
    expect(methods.filter((name) => !(name in routes))).toEqual([])
  })

  it('is the same for the client, method by method', async () => {
    const server = await serveForTest(await newHome())
    const client = await connectForTest(server)
    expect(Object.keys(client).toSorted()).toEqual(Object.keys(server.bough).toSorted())
    for (const [name, method] of Object.entries(client))
      expect([name, typeof method]).toEqual([name, 'function'])
  })

  it('has no two routes at one place', () => {
    const places = Object.values(routes).map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
    )
    expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([])
  })

  it('describes itself: every route is in the document, under its name', async () => {
    const server = await serveForTest(await newHome())
    const headers = { authorization: `Bearer ${server.token}` }
    const document = await (await fetch(`${server.url}/openapi.json`, { headers })).json()
    for (const [name, { method, path }] of Object.entries(routes))
      expect(document).toHaveProperty(['paths', path, method.toLowerCase(), 'operationId'], name)
  })
})
