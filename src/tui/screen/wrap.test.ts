import { expect, it } from 'vitest'
import { everyCharacter } from './wrap.ts'

it('every character is there, spaces too, in lines that are no wider than their place', () => {
  expect(everyCharacter('rm  -rf   /', 4)).toEqual(['rm  ', '-rf ', '  /'])
  expect(everyCharacter('', 4)).toEqual([''])
})

it('a wide character takes two cells', () => {
  expect(everyCharacter('木木木', 4)).toEqual(['木木', '木'])
  expect(everyCharacter('a木木', 4)).toEqual(['a木', '木'])
})
