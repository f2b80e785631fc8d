import type { ZodObject, z } from 'zod'
import type { Tool } from '../agents/driver.ts'

interface Definition<Input extends ZodObject> {
  readonly name: string
  readonly description: string
  readonly input: Input
  /** Resolves with words for the agent. What it rejects with is told to the agent, too. */
  call(args: z.infer<Input>): Promise<string>
}

/** A tool whose call gets what its input describes. */
export const defineTool = <Input extends ZodObject>(definition: Definition<Input>): Tool => ({
  name: definition.name,
  description: definition.description,
  input: definition.input,
  async call(args) {
    return { output: await definition.call(definition.input.parse(args)), exitCode: 0 }
  },
})
