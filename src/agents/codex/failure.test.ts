import { expect, test } from 'vitest'
import { failureOf, retryNotice } from './failure.ts'

const http = (httpStatusCode: number) => ({ httpConnectionFailed: { httpStatusCode } })

test.each([
  [
    'unexpected status 503 Service Unavailable: Too many, url: http://127.0.0.1:1/v1/responses',
    http(503),
    'The model API answered 503 Service Unavailable: Too many. Wait a little, then try again.',
  ],
  [
    'unexpected status 401 Unauthorized: Who?, url: http://127.0.0.1:1/v1/responses',
    http(401),
    'The model API answered 401 Unauthorized: Who? Sign in: codex login',
  ],
  [
    'exceeded retry limit, last status: 429 Too Many Requests, request id: 7',
    { responseTooManyFailedAttempts: { httpStatusCode: 429 } },
    'The model API answered 429 Too Many Requests. Wait a little, then try again.',
  ],
  [
    '{"error":{"message":"That is \\"no\\" model","type":"x"}}',
    'other',
    'That is "no" model. Trying the same again will not help.',
  ],
  [
    '{"error":{"message":"Too long","code":"context_length_exceeded"}}',
    'other',
    'Too long. The conversation is too long for the model: fork it earlier.',
  ],
  [
    'stream disconnected before completion: it was closed',
    { responseStreamDisconnected: { httpStatusCode: null } },
    'The answer of the model broke off: it was closed. Try again.',
  ],
  [
    "You've hit your usage limit.",
    'usageLimitExceeded',
    "You've hit your usage limit. Go on when there is a new allowance, or sign in to another account.",
  ],
  ['Something else', null, 'Something else. Try again.'],
])('%j is told plainly, with what to do', (message, codexErrorInfo, words) => {
  expect(failureOf({ message, codexErrorInfo })).toBe(words)
})

test('what is tried again is told with its count', () => {
  const error = {
    message: 'Reconnecting... 1/5',
    additionalDetails: 'stream disconnected before completion: it was closed',
  }
  expect(retryNotice(error)).toBe(
    'The answer of the model broke off: it was closed. Codex tries again (1/5).',
  )
})
