import { forks } from './support/bough-suite/forks.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(forks)
