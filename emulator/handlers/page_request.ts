import type { PageRequest } from '../domain/paginator.ts'

const defaultPerPage = 15

/** What a list's query asks for: the page, and the window of rows that fill it. */
export function pageRequest(query: { page?: number; per_page?: number }, { url }: { url: () => string }) {
  const { page = 1, per_page: perPage = defaultPerPage } = query
  const request: PageRequest = { page, perPage, path: url() }
  return { request, window: { limit: perPage, offset: (page - 1) * perPage } }
}
