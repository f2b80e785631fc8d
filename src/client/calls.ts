import { hasCode, messageOf } from '../tree/error.ts'
import { channelRoutes as routes } from '../wire/routes/channels.ts'
import { Backoff } from './backoff.ts'
import type { Http } from './http.ts'

/** Does what the server calls for, and answers; a failure is an answer, too. */
export async function answerCall(
  http: Http,
  call: string,
  work: () => Promise<string | null | undefined>,
): Promise<void> {
  const answer = await Promise.try(work).then(
    (externalID) => (externalID === undefined ? {} : { externalID }),
    (error) => ({ failed: messageOf(error) }),
  )
  const backoff = new Backoff(http.closing)
  for (let tries = 0; tries < mostTries; tries++) {
    try {
      return await http.call(routes.answerCall, { params: { call }, body: answer })
    } catch (error) {
      // What cannot reach the server now may do so in a moment; all else it will not take.
      if (!hasCode(error, 'server_unreachable')) return
    }
    await backoff.wait()
  }
}

const mostTries = 5
