import { turns } from './support/bough-suite/turns.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(turns)
