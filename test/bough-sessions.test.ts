import { messages } from './support/bough-suite/messages.ts'
import { sessions } from './support/bough-suite/sessions.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(sessions, messages)
