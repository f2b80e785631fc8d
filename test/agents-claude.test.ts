import { describeAgent } from './support/describe-agent.ts'
import { realClaude } from './support/real-agents.ts'

describeAgent('claude', realClaude)
