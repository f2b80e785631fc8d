import { trust } from './support/bough-suite/trust.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(trust)
