import { saying } from './support/bough-suite/saying.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(saying)
