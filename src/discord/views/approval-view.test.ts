import { expect, it } from 'vitest'
import { once, type Permission } from '../../tree/permission.ts'
import { approvalOf } from './approval-view.ts'

// Discord takes two underscores for a line under what stands between them, also within a word, and a backslash for "as it is".
it('a question names the tool letter for letter, as agents call those of MCP servers', () => {
  const permission: Permission = {
    id: 'per_1',
    sessionID: 'ses_1',
    turnID: 'trn_1',
    tool: 'mcp__github__create_issue',
    detail: '{"title":"__init__"}',
    caution: null,
    state: 'asked',
    scope: 'call',
    offers: [once],
    asked: 0,
  }
  expect(approvalOf(permission).card?.body).toBe(
    '**mcp\\_\\_github\\_\\_create\\_issue**\n```\n{"title":"__init__"}\n```',
  )
})

it('a question about a link says where it leads', () => {
  const permission: Permission = {
    ...{ id: 'per_1', sessionID: 'ses_1', turnID: 'trn_1', tool: 'write', detail: '/p/a.txt' },
    ...{ caution: 'leads to /etc/__x__', state: 'asked', scope: 'call', offers: [once], asked: 0 },
  }
  expect(approvalOf(permission).card?.body).toBe(
    '**write**\n```\n/p/a.txt\n```\n**leads to /etc/\\_\\_x\\_\\_**',
  )
})
