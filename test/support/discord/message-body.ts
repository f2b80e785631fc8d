import { z } from 'zod'

// What a client may send as a message, as far as the fake looks at it.

const embed = z.object({
  type: z.string().optional(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  url: z.string().nullish(),
  color: z.number().nullish(),
  timestamp: z.string().nullish(),
  footer: z.object({ text: z.string(), icon_url: z.string().nullish() }).nullish(),
  author: z.object({ name: z.string(), url: z.string().nullish(), icon_url: z.string().nullish() }).nullish(),
  image: z.object({ url: z.string() }).nullish(),
  thumbnail: z.object({ url: z.string() }).nullish(),
  fields: z
    .array(z.object({ name: z.string(), value: z.string(), inline: z.boolean().optional() }))
    .nullish(),
})

const innerComponent = z.looseObject({
  type: z.number(),
  id: z.number().optional(),
  style: z.number().optional(),
  label: z.string().optional(),
  custom_id: z.string().optional(),
  url: z.string().optional(),
  disabled: z.boolean().optional(),
})

const component = z.looseObject({
  type: z.number(),
  id: z.number().optional(),
  components: z.array(innerComponent).optional(),
})

export const messageBody = z.object({
  content: z.string().nullish(),
  embeds: z.array(embed).nullish(),
  components: z.array(component).nullish(),
  flags: z.number().nullish(),
  attachments: z.array(z.object({ id: z.coerce.string(), description: z.string().nullish() })).optional(),
  nonce: z.union([z.string(), z.number()]).optional(),
  enforce_nonce: z.boolean().optional(),
  message_reference: z
    .object({ message_id: z.string(), fail_if_not_exists: z.boolean().optional() })
    .optional(),
})

export type Embed = z.infer<typeof embed>
export type Component = z.infer<typeof component>
export type InnerComponent = z.infer<typeof innerComponent>
export type MessageBody = z.infer<typeof messageBody>
