// The page of the server: the tree of sessions and their messages, to look at. The token comes from the one-time link, stays
// in memory, and goes out in a header.

const status = document.querySelector('#status')
const tree = document.querySelector('#tree')
const messages = document.querySelector('#messages')

const code = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
// A new link that is opened where this page already is changes nothing but the hash.
addEventListener('hashchange', () => location.reload())

let token = ''
let selected = null
let lastEventID = ''
let asked = 0

/** Names of prompts that the person did not write. */
const authors = { agent: 'prompt by an agent', schedule: 'scheduled prompt' }

const [esc, bell] = ['\u001b', '\u0007']
const titles = new RegExp(`${esc}\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)`, 'g')
const styles = new RegExp(`(?:${esc}\\[|\u009b)[0-?]*[ -/]*[@-~]`, 'g')
const hidden = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A refusal that stays one: to try again does not help. */
class Refused extends Error {}

try {
  if (code === '')
    throw new Error('This page opens with a link that works once: "bough serve --link" prints one.')
  token = (await ask('/sign-in', { method: 'POST', body: JSON.stringify({ code }) })).token
  await showTree()
  await follow()
} catch (error) {
  status.textContent = error.message
}

async function ask(path, options = {}) {
  const response = await fetch(path, { ...options, headers: headersFor(options) })
  mustBeLetIn(response)
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.detail)
  return answer
}

function mustBeLetIn({ status }) {
  if (status === 401 && token)
    throw new Refused('This page is not let in any more: open a new link. "bough serve --link" prints one.')
}

function headersFor({ body, accept = 'application/json' }) {
  return {
    accept,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(lastEventID && { 'last-event-id': lastEventID }),
  }
}

async function showTree() {
  const rows = await ask('/tree')
  tree.replaceChildren(...rows.map(rowOf))
  const count = rows.filter(({ deleted }) => !deleted).length
  status.textContent = count === 1 ? '1 session' : `${count} sessions`
}

function rowOf({ id, title, agent, state, depth, deleted, archived, isMain }) {
  const item = document.createElement('li')
  const button = document.createElement('button')
  const facts = document.createElement('small')
  item.style.paddingInlineStart = `${depth * 1.25 + 0.4}rem`
  button.textContent = deleted ? '(deleted)' : plainLine(title)
  button.disabled = deleted
  button.ariaCurrent = String(id === selected)
  button.addEventListener('click', () => select(id).catch(tell))
  const words = [plainLine(agent), isMain && 'main', archived && 'archived', state !== 'idle' && state]
  facts.textContent = words.filter(Boolean).join(' · ')
  item.append(button, ' ', facts)
  return item
}

async function select(id) {
  selected = id
  await Promise.all([showTree(), showMessages()])
}

async function showMessages() {
  if (!selected) return
  const mine = ++asked
  const page = await ask(`/session/${selected}/message?limit=100`)
  // Meanwhile another one was selected, or something has changed: what was asked for last is shown.
  if (mine === asked) messages.replaceChildren(...page.map(messageOf))
}

function messageOf({ role, parts, text, created }) {
  const author = parts.find(({ type }) => type === 'text')?.author
  const article = document.createElement('article')
  const facts = document.createElement('small')
  const words = document.createElement('p')
  facts.textContent = `${authors[author] ?? role} · ${new Date(created).toLocaleString()}`
  words.textContent = plainText(text)
  article.append(facts, words)
  return article
}

// As in a terminal: what would drive one, other controls, and what shows text in another order are left out.
function plainText(text) {
  return text.replace(titles, '').replace(styles, '').replace(hidden, '')
}

function plainLine(text) {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

/** Comes back when the connection breaks; whatever has changed is shown anew. */
async function follow() {
  for (;;) {
    try {
      await readEvents()
    } catch (error) {
      if (error instanceof Refused) throw error
      tell(error)
    }
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

function tell(error) {
  status.textContent = error instanceof Refused ? error.message : 'The server does not answer; trying again …'
}

async function readEvents() {
  const response = await fetch('/event?live=false', { headers: headersFor({ accept: 'text/event-stream' }) })
  mustBeLetIn(response)
  if (!response.ok) throw new Error((await response.json()).detail)
  await Promise.all([showTree(), showMessages()])
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split('\n\n')
    rest = events.pop()
    const ids = events.flatMap((event) => event.match(/^id: (\d+)$/m)?.[1] ?? [])
    if (ids.length === 0) continue
    lastEventID = ids.at(-1)
    await Promise.all([showTree(), showMessages()])
  }
}
