import { type Static, type TSchema, Type } from 'typebox'
import { messagePattern } from '../endpoint.ts'
import { described, nullable } from './scalars.ts'

export const ErrorDetails = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
  description: 'Details of the error: messages by field, an object of another shape, or a string',
})

export const ErrorEnvelope = Type.Object(
  {
    success: Type.Literal(false, { description: 'False for every error' }),
    message: Type.String({
      description: 'Description of the error, for people; programs must not depend on its wording',
    }),
    data: Type.Null({ description: 'Null for every error' }),
    errors: ErrorDetails,
  },
  { description: 'Body of every error' },
)

/** Schema of the message in a table row. */
export function RowMessage(message: string): TSchema {
  const pattern = messagePattern(message)
  const description = 'Result or error, for people'
  return pattern === null ? Type.Literal(message, { description }) : Type.String({ pattern, description })
}

/** Body of a successful answer that has `data`. */
export const SuccessEnvelope = (message: string, data: TSchema) =>
  Type.Object({
    success: Type.Literal(true, { description: 'True for every answer except errors' }),
    message: RowMessage(message),
    data: 'description' in data ? data : described(data, 'Data of the answer'),
  })

export const PageLink = Type.Object(
  {
    url: described(
      nullable(Type.String()),
      'Target of the link; null for an ellipsis, and beyond the first or last page',
    ),
    label: Type.String({ description: 'Text of the link in the language of the service, with HTML entities' }),
    page: described(nullable(Type.Integer()), 'Number of the target page; null if the link has no target'),
    active: Type.Boolean({ description: 'True if the link leads to this page' }),
  },
  { description: 'Link of a paginator' },
)
export type PageLink = Static<typeof PageLink>

const url = (description: string) => described(nullable(Type.String()), description)
const position = nullable(Type.Integer({ minimum: 1 }))

/** One page of a list, with its number. */
export const Page = <S extends TSchema>(item: S) =>
  Type.Object(
    {
      current_page: Type.Integer({ minimum: 1, description: 'Number of this page, from 1' }),
      data: Type.Array(item, { description: 'Items of this page' }),
      first_page_url: url('URL of the page with the first items'),
      from: described(position, 'Position of the first item in the whole list, from 1; null on an empty page'),
      last_page: Type.Integer({ minimum: 1, description: 'Number of the last page; 1 if the list is empty' }),
      last_page_url: url('URL of the page with the last items'),
      links: Type.Array(PageLink, { description: 'Links of a paginator: previous, some pages, next' }),
      next_page_url: url('URL of the next page; null on the last page'),
      path: url('URL of the list without page numbers'),
      per_page: Type.Integer({ minimum: 0, description: 'Maximum number of items on a page' }),
      prev_page_url: url('URL of the previous page; null on the first page'),
      to: described(position, 'Position of the last item in the whole list; null on an empty page'),
      total: Type.Integer({ minimum: 0, description: 'Number of items in the whole list' }),
    },
    { description: 'Page of a list' },
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
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Number of items per page', default: 15 }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Number of the page, from 1',
      default: 1,
    }),
  ),
}

export const PageQuery = Type.Object(pageQuery)
