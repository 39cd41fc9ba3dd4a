import { type Static, type TSchema, Type } from 'typebox'
import { messagePattern } from '../endpoint.ts'
import { described, nullable } from './scalars.ts'

export const ErrorDetails = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
  description: 'What is wrong: messages by the name of the field, an object of another shape, or a text',
})

export const ErrorEnvelope = Type.Object(
  {
    success: Type.Literal(false, { description: 'False for every error' }),
    message: Type.String({ description: 'What went wrong, for people; do not compare with it' }),
    data: Type.Null({ description: 'Null for every error' }),
    errors: ErrorDetails,
  },
  { description: 'Body of every error' },
)

/** Schema of a row's message. */
export function RowMessage(message: string): TSchema {
  const pattern = messagePattern(message)
  const description = 'What was done or went wrong, for people'
  return pattern === null ? Type.Literal(message, { description }) : Type.String({ pattern, description })
}

/** Body of a success answer with `data`. */
export const SuccessEnvelope = (message: string, data: TSchema) =>
  Type.Object({
    success: Type.Literal(true, { description: 'True for every answer but errors' }),
    message: RowMessage(message),
    data: 'description' in data ? data : described(data, 'What was asked for'),
  })

export const PageLink = Type.Object(
  {
    url: described(nullable(Type.String()), 'Where it leads; null for an ellipsis, and beyond the first or last page'),
    label: Type.String({ description: 'Text of the link in the language of the service, with HTML entities' }),
    page: described(nullable(Type.Integer()), 'Number of the page it leads to; null where it leads nowhere'),
    active: Type.Boolean({ description: 'Whether it leads to this page' }),
  },
  { description: 'A link of a paginator' },
)
export type PageLink = Static<typeof PageLink>

const url = (description: string) => described(nullable(Type.String()), description)
const position = nullable(Type.Integer({ minimum: 1 }))

/** A numbered slice of a list. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Object(
    {
      current_page: Type.Integer({ minimum: 1, description: 'Number of this page, from 1' }),
      data: Type.Array(item, { description: 'The items of this page' }),
      first_page_url: url('URL of the page with the first items'),
      from: described(position, 'Position of the first item in the whole list, from 1; null on an empty page'),
      last_page: Type.Integer({ minimum: 1, description: 'Number of the last page; 1 of an empty list' }),
      last_page_url: url('URL of the page with the last items'),
      links: Type.Array(PageLink, { description: 'Links of a paginator: back, some pages, on' }),
      next_page_url: url('URL of the page after this one; null on the last'),
      path: url('URL of the list without page numbers'),
      per_page: Type.Integer({ minimum: 0, description: 'How many items a full page has' }),
      prev_page_url: url('URL of the page before this one; null on the first'),
      to: described(position, 'Position of the last item in the whole list; null on an empty page'),
      total: Type.Integer({ minimum: 0, description: 'How many items the whole list has' }),
    },
    { description: 'One page of a list' },
  )

export interface Page<T> {
  current_page: number
  data: T[]
  first_page_url: string | null
  from: number | null
  last_page: number
  last_page_url: string | null
  links: PageLink[]
  next_page_url: string | null
  path: string | null
  per_page: number
  prev_page_url: string | null
  to: number | null
  total: number
}

export const pageQuery = {
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'How many items a page has', default: 15 }),
  ),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Which page, from 1', default: 1 }),
  ),
}

export const PageQuery = Type.Object(pageQuery)
