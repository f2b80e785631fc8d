import type { PersonsDoing } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import type { SayOptions } from '../tree/front-end.ts'
import type { ChannelID } from '../tree/ids.ts'
import { channelRoutes as routes } from '../wire/routes/channels.ts'
import { answerCall } from './calls.ts'
import { givingUp } from './give-up.ts'
import type { Http } from './http.ts'
import { RemoteTurn } from './remote-turn.ts'

/** Hands in what the person does in a channel; resolves when it is done. */
export const say = (http: Http, id: ChannelID, what: PersonsDoing, options: SayOptions = {}): Promise<void> =>
  givingUp(http, options.signal, async (key) => {
    const { show, taken, began, entered, tell } = options
    for await (const event of await open(http, id, what, { key, show: show !== undefined }))
      switch (event.kind) {
        case 'taken':
          taken?.()
          break
        case 'began':
          tellBegan(began, new RemoteTurn(http, event.turn))
          break
        case 'entered':
          entered?.(event.forkID)
          break
        case 'show': {
          const showing = async () => {
            await show?.(new RemoteTurn(http, event.turn), event.item)
            return undefined
          }
          void answerCall(http, event.call, showing).catch(() => {})
          break
        }
        case 'tell':
          tell?.(event.words)
          break
        case 'done':
          return
      }
    throw new BoughError(
      'server_unreachable',
      'The connection to the server broke off. What you said is not lost, if it had begun; look before you say it again.',
    )
  })

function open(http: Http, id: ChannelID, what: PersonsDoing, more: { key: string; show: boolean }) {
  const params = { id }
  switch (what.kind) {
    case 'message': {
      const { kind: _, ...body } = what
      return http.open(routes.say, { params, body: { ...body, ...more } })
    }
    case 'fork': {
      const { kind: _, ...body } = what
      return http.open(routes.sayFork, { params, body: { ...body, ...more } })
    }
    case 'exit': {
      const { kind: _, ...body } = what
      return http.open(routes.sayExit, { params, body: { ...body, ...more } })
    }
    case 'click': {
      const { kind: _, ...body } = what
      return http.open(routes.sayClick, { params, body: { ...body, ...more } })
    }
  }
}

function tellBegan(began: SayOptions['began'], turn: RemoteTurn): void {
  try {
    began?.(turn)
  } catch {
    // The turn goes on, whatever becomes of the one who asked.
  }
}
