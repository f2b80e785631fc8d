import * as z from 'zod/mini'
import type { DirectoryTrust, ProjectPart, TrustedDirectory } from '../../tree/directory-trust.ts'
import { list } from './list.ts'
import { component } from './names.ts'
import { time } from './numbers.ts'

const part = {
  id: z.string(),
  agent: z.string(),
  kind: z.enum(['hook', 'server', 'helper', 'setting', 'subagent', 'command', 'skill', 'file']),
  name: z.string(),
  detail: z.string(),
  file: z.string(),
}

export const projectPart = z.object(part) satisfies z.ZodMiniType<ProjectPart>

export const directoryTrust = component(
  'DirectoryTrust',
  z.object({
    root: z.string(),
    state: z.enum(['untrusted', 'changed', 'trusted']),
    parts: list(z.object({ ...part, approved: z.boolean() })),
  }),
) satisfies z.ZodMiniType<DirectoryTrust>

export const trustedDirectory = component(
  'TrustedDirectory',
  z.object({ root: z.string(), granted: time }),
) satisfies z.ZodMiniType<TrustedDirectory>
