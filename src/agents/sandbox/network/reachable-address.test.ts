import { expect, test } from 'vitest'
import { reachableAddress } from './reachable-address.ts'

const leadsTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address }))

const inside = [
  ...[
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
  ],
  ...['::1', '::', 'fd00::1', 'fe80::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1'],
]

test.each(inside)('a name that leads to the private address %s reaches nothing there', async (address) => {
  const rules = [{ host: 'example.org' }]
  expect(await reachableAddress('example.org', 443, rules, [], leadsTo(address))).toBeNull()
  const both = leadsTo(address, '93.184.216.34')
  expect(await reachableAddress('example.org', 443, rules, [], both)).toBe('93.184.216.34')
})

test('a private address is reached where it is allowed itself, or the agent has its model there', async () => {
  const lookup = leadsTo('10.1.2.3')
  const rules = [{ host: 'git.example.org' }, { host: '10.1.2.3' }]
  expect(await reachableAddress('git.example.org', 443, rules, [], lookup)).toBe('10.1.2.3')
  expect(await reachableAddress('10.1.2.3', 443, rules, [], lookup)).toBe('10.1.2.3')
  expect(await reachableAddress('10.1.2.4', 443, rules, [], lookup)).toBeNull()
  const model = [{ host: 'model.example.org', port: 8080 }]
  expect(await reachableAddress('model.example.org', 8080, [], model, lookup)).toBe('10.1.2.3')
  expect(await reachableAddress('model.example.org', 443, [], model, lookup)).toBeNull()
})
