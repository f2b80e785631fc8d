import { schedules } from './support/bough-suite/schedules.ts'
import { sideForks } from './support/bough-suite/side-forks.ts'
import { describeTwice } from './support/describe-twice.ts'

describeTwice(sideForks, schedules)
