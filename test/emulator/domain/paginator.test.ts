import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paginate, window } from '../../../emulator/domain/paginator.ts'
import { laravelPage, laravelWindow } from './laravel_paginator.ts'

const path = 'http://localhost/api/payments/history'

describe('the window of page links', () => {
  test.each([
    [1, 1, '1'],
    [1, 13, '1 2 3 4 5 6 7 8 9 10 11 12 13'],
    [1, 14, '1 2 3 4 5 6 7 8 9 10 ... 13 14'],
    [7, 14, '1 2 3 4 5 6 7 8 9 10 ... 13 14'],
    [8, 14, '1 2 ... 5 6 7 8 9 10 11 12 13 14'],
    [8, 15, '1 2 ... 5 6 7 8 9 10 11 ... 14 15'],
    [50, 100, '1 2 ... 47 48 49 50 51 52 53 ... 99 100'],
    [100, 100, '1 2 ... 91 92 93 94 95 96 97 98 99 100'],
  ])('of page %i of %i is %s', (current, last, shown) => {
    expect(window(current, last).join(' ')).toBe(shown)
    expect(laravelWindow(current, last).join(' ')).toBe(shown)
  })

  test('is Laravel’s for every page of every list of up to 120 pages, and beyond its end', () => {
    for (let last = 1; last <= 120; last++) {
      for (let current = 1; current <= last + 9; current++) {
        expect(window(current, last), `page ${current} of ${last}`).toEqual(laravelWindow(current, last))
      }
    }
  })
})

describe('a page', () => {
  const asked = fc.record({
    page: fc.integer({ min: 1, max: 60 }),
    perPage: fc.integer({ min: 1, max: 1000 }),
    total: fc.integer({ min: 0, max: 20_000 }),
  })

  test('is Laravel’s for any page, size and total', () => {
    fc.assert(
      fc.property(asked, ({ page, perPage, total }) => {
        const everything = Array.from({ length: total }, (_, at) => at)
        const items = everything.slice((page - 1) * perPage, page * perPage)

        const { data, path: shownPath, ...made } = paginate({ items, total }, { page, perPage, path: '' }, 'es')

        expect({ ...made, items: data.length }).toEqual(laravelPage({ page, perPage, total }))
        expect(shownPath).toBe('')
        expect(data).toEqual(items)
      }),
    )
  })

  test('puts its path before every link', () => {
    const page = paginate({ items: ['a'], total: 3 }, { page: 2, perPage: 1, path }, 'es')

    expect(page.path).toBe(path)
    const urls = [page.first_page_url, page.last_page_url, page.next_page_url, page.prev_page_url]
    expect(urls).toEqual([1, 3, 3, 1].map((number) => `${path}?page=${number}`))
    expect(page.links.map(({ url }) => url)).toEqual([1, 1, 2, 3, 3].map((number) => `${path}?page=${number}`))
  })

  test('has labels in English when asked', () => {
    const { links } = paginate({ items: [], total: 0 }, { page: 1, perPage: 15, path }, 'en')

    expect(links.map(({ label }) => label)).toEqual(['&laquo; Previous', '1', 'Next &raquo;'])
  })
})
