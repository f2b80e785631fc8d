import { ButtonStyle, ComponentType } from 'discord.js'
import { describe, expect, it } from 'vitest'
import type { Button } from '../port.ts'
import { payloadOf } from './payload.ts'

const button = (id: string, more: Partial<Button> = {}): Button => ({
  id,
  label: id,
  look: 'plain',
  ...more,
})

describe('a message as Discord takes it', () => {
  it('says also what it does not have, so that an edit takes it away', () => {
    expect(payloadOf({ text: 'herons' })).toEqual({
      content: 'herons',
      embeds: [],
      components: [],
      files: [],
    })
    expect(payloadOf({}).content).toBe('')
  })

  it('keeps cards within the limits: 256 for the title, 4,096 for the rest', () => {
    const card = { title: 't'.repeat(300), body: 'b'.repeat(9000), colour: 7 }
    const [embed] = payloadOf({ card }).embeds
    expect(embed?.title).toHaveLength(256)
    expect(embed?.description).toHaveLength(4096)
    expect(payloadOf({ card: { ...card, body: '' } }).embeds[0]).not.toHaveProperty('description')
  })

  it('has five buttons in a row', () => {
    const buttons = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => button(id))
    const rows = payloadOf({ buttons }).components
    expect(rows.map(({ components }) => components.map((each) => each.custom_id))).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['f'],
    ])
    expect(rows.every(({ type }) => type === ComponentType.ActionRow)).toBe(true)
  })

  it('has labels of 80 characters at the most, and buttons that are off', () => {
    const [row] = payloadOf({
      buttons: [button('a', { label: 'l'.repeat(90), look: 'bad', isOff: true })],
    }).components
    expect(row?.components[0]).toMatchObject({ disabled: true, style: ButtonStyle.Danger })
    expect(row?.components[0]?.label).toHaveLength(80)
  })

  it('has a file with its words', () => {
    const { files } = payloadOf({ file: { name: 'tree.txt', text: '└─ herons' } })
    expect(files).toEqual([{ name: 'tree.txt', attachment: Buffer.from('└─ herons') }])
  })
})
