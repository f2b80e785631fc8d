import { watching } from './support/bough-suite/watching.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(watching)
