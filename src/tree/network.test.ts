import { expect, test } from 'vitest'
import { isHostAllowed, networkAccessIn } from './network.ts'

test('the network is on, off, or a list of hosts', () => {
  expect(networkAccessIn('on')).toBe('shared')
  expect(networkAccessIn('off')).toEqual([])
  expect(networkAccessIn('GitHub.com, *.npmjs.org:8443,[::1]:80,10.0.0.1')).toEqual([
    { host: 'github.com' },
    { host: '*.npmjs.org', port: 8443 },
    { host: '::1', port: 80 },
    { host: '10.0.0.1' },
  ])
})

test.each(['', 'a b', 'http://a.b', '*', 'a.*', '*.', 'a:0', 'a:65536', 'a,,b', 'a/b', '.a'])(
  'it is not %j',
  (text) => {
    expect(networkAccessIn(text)).toBeNull()
  },
)

test('a rule names one host, or all below a name; without a port those of the web', () => {
  const rules = [{ host: 'a.org' }, { host: '*.b.org', port: 8443 }]
  const allowed = ([host, port]: readonly [string, number]) => isHostAllowed(rules, host, port)
  expect(
    (['a.org', 'x.b.org', 'x.y.b.org'] as const).map((host, i) => allowed([host, i === 0 ? 443 : 8443])),
  ).toEqual([true, true, true])
  const refused = [
    ['a.org', 22],
    ['x.a.org', 443],
    ['xa.org', 443],
    ['b.org', 8443],
    ['xb.org', 8443],
    ['x.b.org', 443],
  ] as const
  expect(refused.map(allowed)).toEqual(refused.map(() => false))
})
