import { channelCodex } from './support/comeback.ts'
import { describeComeback } from './support/describe-comeback.ts'

describeComeback('codex', channelCodex)
