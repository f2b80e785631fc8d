import { ownTools } from './support/bough-suite/own-tools.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(ownTools)
