import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { newHome, turn } from './support/bough.ts'
import { Browser } from './support/browser.ts'
import { serveForTest } from './support/server.ts'

it('a page gets its token through a one-time link, keeps it in memory, and shows the tree as it changes', async () => {
  const home = await newHome()
  const server = await serveForTest(home)
  const { bough } = server
  const soup = await bough.create({
    title: 'Soup <b>of the day</b>',
    agent: 'offline',
    directory: home.project,
  })
  await turn(bough, soup.id, 'Say: tomato')
  const browser = await Browser.start()
  const link = server.newLink()
  await browser.open(link)
  await browser.shows('1 session')
  await browser.shows('Soup <b>of the day</b>')

  await browser.evaluate('document.querySelector("#tree button").click()')
  await browser.shows('Say: tomato')
  await bough.fork(soup.id, { title: 'With cream', files: 'same' })
  await browser.shows('2 sessions')
  await bough.change(soup.id, { archived: true })
  await browser.shows('offline · archived')
  await turn(bough, soup.id, 'And then?')
  await browser.shows('And then?')

  const kept = 'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])'
  const everywhere = String(await browser.evaluate(kept))
  expect(everywhere).toContain(`"${server.url}/"`)
  expect(everywhere).not.toContain(server.token)
  await browser.reload()
  await browser.shows('This page opens with a link that works once')
  await browser.open(link)
  await browser.shows('This link has been used, or is too old. "bough serve --link" prints a new one.')
})

it('a page counts no tombstones, shows titles without control characters, and aligns what wraps', async () => {
  const home = await newHome()
  const { bough, newLink } = await serveForTest(home)
  const create = (title: string) => bough.create({ title, agent: 'offline', directory: home.project })
  const root = await create('Root')
  await turn(bough, root.id, 'Say: tomato')
  const title = `\u001b[31mRed\u001b[0m\u0007 \u001b]0;x\u0007soup\u202e ${'and more words '.repeat(10)}`
  await bough.fork(root.id, { title, files: 'same' })
  await bough.remove(root.id)
  const browser = await Browser.start()
  await browser.open(newLink())
  await browser.shows('1 session')
  await browser.shows('(deleted)')
  const shown = 'document.querySelector("#tree li:last-child button").textContent'
  expect(await browser.evaluate(shown)).toBe(`Red soup ${'and more words '.repeat(10).trim()}`)
  const lefts = `JSON.stringify(['button', 'small'].map((name) => {
    const range = document.createRange()
    range.selectNodeContents(document.querySelector('#tree li:last-child ' + name))
    return Math.round(range.getBoundingClientRect().left)
  }))`
  const [ofTitle, ofFacts] = JSON.parse(String(await browser.evaluate(lefts)))
  expect(ofFacts).toBe(ofTitle)
})

it('a page whose server is away says so, takes no harm from clicks, and asks for a new link where it is not let in any more', async () => {
  const home = await newHome()
  const server = await serveForTest(home)
  await server.bough.create({ title: 'Soup', agent: 'offline', directory: home.project })
  const browser = await Browser.start()
  await browser.open(server.newLink())
  await browser.shows('1 session')
  await browser.evaluate('window.lost = []; onunhandledrejection = ({ reason }) => lost.push(String(reason))')
  await server.stop()
  await browser.evaluate('document.querySelector("#tree button").click()')
  await browser.shows('The server does not answer; trying again')
  await serveForTest(home, { port: Number(new URL(server.url).port) })
  await browser.shows('This page is not let in any more: open a new link.')
  expect(await browser.evaluate('lost.join()')).toBe('')
})

it('a page shows the messages of the session that was clicked last, in whatever order they come', async () => {
  const home = await newHome()
  const { bough, newLink } = await serveForTest(home)
  for (const title of ['Soup', 'Bread']) {
    const { id } = await bough.create({ title, agent: 'offline', directory: home.project })
    await turn(bough, id, `Say: ${title.toLowerCase()}`)
  }
  const browser = await Browser.start()
  await browser.open(newLink())
  await browser.shows('2 sessions')
  const click = (title: string) =>
    `Array.from(document.querySelectorAll('#tree button')).find((each) => each.textContent === '${title}').click()`
  // The first messages come when the second are shown.
  await browser.evaluate(`
    window.mayCome = Promise.withResolvers()
    window.came = Promise.withResolvers()
    const ask = fetch
    let isFirst = true
    window.fetch = async (path, options) => {
      const isHeld = isFirst && path.includes('/message')
      if (isHeld) isFirst = false
      const answer = await ask(path, options)
      if (!isHeld) return answer
      const messages = await answer.json()
      await mayCome.promise
      return { ok: true, status: 200, json: async () => (came.resolve(), messages) }
    }
    ${click('Soup')}
    ${click('Bread')}`)
  await browser.shows('Say: bread')
  await browser.evaluate('mayCome.resolve(), came.promise')
  const shown = await browser.evaluate('document.querySelector("#messages").innerText')
  expect(shown).toContain('Say: bread')
  expect(shown).not.toContain('Say: soup')
})

it('a page of another site can neither read nor change anything, also with the token', async () => {
  const home = await newHome()
  const server = await serveForTest(home)
  await server.bough.create({ title: 'Secret', agent: 'offline', directory: home.project })
  const elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<h1>Another site</h1>')
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  onTestFinished(() => {
    elsewhere.closeAllConnections()
    elsewhere.close()
  })
  const address = elsewhere.address()
  const port = typeof address === 'object' ? address?.port : null
  const browser = await Browser.start()
  await browser.open(`http://127.0.0.1:${port}/`)
  await browser.shows('Another site')

  const tries = [
    `fetch('${server.url}/session')`,
    `fetch('${server.url}/session', { headers: { authorization: 'Bearer ${server.token}' } })`,
    `fetch('${server.url}/session', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })`,
    `fetch('${server.url}/session', { method: 'POST', body: '{}', mode: 'no-cors' })`,
    `fetch('${server.url}/health')`,
  ]
  for (const each of tries) {
    const seen = await browser.evaluate(`${each}.then((r) => r.text(), () => '')`)
    expect(seen, each).toBe('')
  }
  expect(await server.bough.sessions()).toHaveLength(1)
})

it('its policy lets nothing in from elsewhere', async () => {
  const server = await serveForTest(await newHome())
  for (const path of ['/', '/page.js', '/page.css']) {
    const response = await fetch(server.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(await response.text()).not.toContain(server.token)
  }
})
