import { data, handles, initiated, type Mutant, reading } from './mutant.ts'

export const lists: readonly Mutant[] = [
  {
    name: 'the total of a list is off by one',
    caughtBy: 'sums > pages > of the history are the whole list, each row once',
    start: data('payments.history', (page, { url }) => {
      if (url.includes('page=')) page.total -= 1
    }),
  },
  {
    name: 'a page repeats the last row of the one before',
    caughtBy: 'sums > pages > of the history are the whole list, each row once',
    start: handles('payments.history', () => {
      let last: unknown
      return async (request, send) => {
        const answer = await send(request)
        const page = answer.body.data
        if (page?.current_page > 1 && last !== undefined) page.data[0] = last
        last = page?.data?.at(-1)
        return answer
      }
    }),
  },
  {
    name: 'a page is as long as it is by default, whatever is asked for',
    caughtBy: 'sums > pages > of the accounts are the whole list, each row once',
    start: handles(
      'accounts.list',
      () => (request, send) => send({ ...request, url: request.url.replace(/per_page=\d+/, '') }),
    ),
  },
  {
    name: 'a filter of the history is overlooked',
    caughtBy: 'history > history > filtered by transfer_type it holds all of that kind and no other',
    start: handles(
      'payments.history',
      () => (request, send) => send({ ...request, url: request.url.replace('transfer_type=', 'x=') }),
    ),
  },
  {
    name: 'the newest payment is not in the history yet',
    caughtBy: initiated,
    start: data('payments.history', (page) => page.data.shift()),
  },
  {
    name: 'the history is the oldest first',
    caughtBy: 'history > pages > /api/payments/history: all pages together are the whole list, newest first',
    start: data('payments.history', (page) => page.data.reverse()),
  },
  {
    name: 'the order of the history goes by the size of its pages',
    caughtBy: 'sums > pages > of the history are the whole list, each row once',
    start: data('payments.history', (page) => {
      if (page.per_page === 1000) page.data.reverse()
    }),
  },
  {
    name: 'a page may have more than a thousand rows',
    caughtBy: `${reading} > GET /api/payments/history?per_page=1001 is 422`,
    start: handles(
      'payments.history',
      () => (request, send) => send({ ...request, url: request.url.replace('=1001', '=1000') }),
    ),
  },
  {
    name: 'the next page is the same page',
    caughtBy: 'history > pages > /api/payments/history: links lead back to the list, without per_page',
    start: data('payments.history', (page) => {
      page.next_page_url = page.next_page_url?.replace(/page=\d+/, `page=${page.current_page}`) ?? null
    }),
  },
  {
    name: 'there is one page more than there is',
    caughtBy: 'sums > pages > of the history are the whole list, each row once',
    start: data('payments.history', (page) => {
      page.last_page += 1
    }),
  },
  {
    name: 'a number of a page is a text',
    caughtBy: 'history > pages > /api/payments/history: a page has fifteen items by default',
    start: data('payments.history', (page) => Object.assign(page, { per_page: String(page.per_page) })),
  },
  {
    name: 'accounts are listed the newest first',
    caughtBy: 'accounts > accounts > the oldest account comes first in the list, the newest last',
    start: data('accounts.list', (page) => page.data.reverse()),
  },
  {
    name: 'the filter by document is overlooked',
    caughtBy: 'history > history > a filter by document number returns the payments to that payee',
    start: handles(
      'payments.history',
      () => (request, send) => send({ ...request, url: request.url.replace('document_number=', 'x=') }),
    ),
  },
]
