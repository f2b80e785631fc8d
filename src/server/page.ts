import { readFile } from 'node:fs/promises'
import type { Env, Hono } from 'hono'

const files = {
  '/': { name: 'page.html', type: 'text/html; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
} as const

// Nothing from elsewhere, nothing inline, and nobody may frame it.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page for browsers. It has nothing to hide: what it shows it must ask for, with the token. */
export function servePage<E extends Env>(app: Hono<E>): void {
  for (const [path, { name, type }] of Object.entries(files))
    app.get(path, async (c) => {
      const text = await readFile(new URL(`./page/${name}`, import.meta.url), 'utf8')
      c.header('content-security-policy', policy)
      return c.body(text, 200, { 'content-type': type })
    })
}
