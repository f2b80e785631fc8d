import { filesOfSessions } from './support/bough-suite/files.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(filesOfSessions)
