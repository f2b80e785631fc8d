import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { onTestFinished } from 'vitest'
import { portOf } from '../../../test/support/port-of.ts'
import { Http } from '../http.ts'

/** Something that answers each request in its own way, the last of them all that come after. */
export async function answering(...answers: readonly RequestListener[]) {
  let asked = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    answer?.(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const http = new Http({ url: `http://127.0.0.1:${portOf(server)}`, token: 'secret' })
  onTestFinished(() => {
    http.close()
    server.closeAllConnections()
    server.close()
  })
  return { http, asked: () => asked }
}

export const stream =
  (...data: readonly (object | string)[]): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const each of data)
      response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
  }

export const streamThatEnds =
  (...data: readonly (object | string)[]): RequestListener =>
  (request, response) => {
    stream(...data)(request, response)
    response.end()
  }

export const page =
  (status: number): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  }

export const problem =
  (status: number, code: string): RequestListener =>
  (_, response) => {
    const body = { type: 'about:blank', title: 'No', status, code, detail: `It is ${code}.` }
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body))
  }
