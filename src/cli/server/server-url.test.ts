import { describe, expect, it } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { isHere, serverURL } from './server-url.ts'

describe('the address of a server', () => {
  it.each([
    ['http://127.0.0.1:4517', 'http://127.0.0.1:4517'],
    ['http://127.0.0.1:4517/', 'http://127.0.0.1:4517'],
    ['HTTP://LocalHost:80', 'http://localhost'],
    ['http://[::1]:4517', 'http://[::1]:4517'],
    ['https://bough.example', 'https://bough.example'],
  ])('may be %s', (given, url) => {
    expect(serverURL(given, '--server')).toBe(url)
  })

  it.each([
    ['', 'needs the address'],
    ['localhost:4517', 'needs the address'],
    ['127.0.0.1', 'needs the address'],
    ['ftp://localhost', 'needs the address'],
    ['http://', 'needs the address'],
    ['http://localhost/bough', 'takes no path: write http://localhost, not'],
    ['http://localhost/#code', 'takes no path: write http://localhost, not'],
    ['http://localhost/?a', 'takes no path: write http://localhost, not'],
    ['http://me:secret@localhost', 'takes no name and no password'],
  ])('may not be "%s"', (given, complaint) => {
    expect(() => serverURL(given, 'BOUGH_SERVER')).toThrow(UsageError)
    expect(() => serverURL(given, 'BOUGH_SERVER')).toThrow(`BOUGH_SERVER ${complaint}`)
  })

  it('is of this machine where only that answers', () => {
    for (const url of ['http://localhost', 'http://127.0.0.1:1', 'http://127.1.2.3', 'http://[::1]:4517'])
      expect(isHere(url)).toBe(true)
    for (const url of ['http://127.0.0.1.evil.example', 'http://10.0.0.1', 'https://localhost.example'])
      expect(isHere(url)).toBe(false)
  })
})
