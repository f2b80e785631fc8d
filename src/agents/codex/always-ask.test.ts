import { expect, test } from 'vitest'
import { alwaysAsk } from './always-ask.ts'

test('every server asks before its tools are called, whatever the person has set for it or for a tool', () => {
  const server = { command: 'x', default_tools_approval_mode: 'approve' }
  const config = {
    mcp_servers: {
      plain: { command: 'x' },
      approved: { ...server, tools: { touch: { approval_mode: 'approve', timeout: 5 } } },
      dotted: { command: 'x', tools: { 'a.b': { approval_mode: 'approve' }, c: { enabled: true } } },
    },
    apps: { _default: { default_tools_approval_mode: 'approve' }, mail: { enabled: true } },
    plugins: { p: { mcp_servers: { s: { default_tools_approval_mode: 'auto' } } } },
  }
  expect(alwaysAsk(config)).toEqual({
    'features.hooks': false,
    'mcp_servers.plain.default_tools_approval_mode': 'prompt',
    'mcp_servers.approved.default_tools_approval_mode': 'prompt',
    'mcp_servers.approved.tools.touch.approval_mode': 'prompt',
    'mcp_servers.dotted.default_tools_approval_mode': 'prompt',
    'mcp_servers.dotted.tools': { 'a.b': { approval_mode: 'prompt' }, c: { enabled: true } },
    'apps._default.default_tools_approval_mode': 'prompt',
    'plugins.p.mcp_servers.s.default_tools_approval_mode': 'prompt',
  })
})

test('a configuration without tools needs nothing but to run no hooks', () => {
  expect(alwaysAsk({ model: 'm', mcp_servers: null })).toEqual({ 'features.hooks': false })
})
