import { channels } from './support/bough-suite/channels.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(channels)
