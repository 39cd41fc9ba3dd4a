import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })

/** Files that a page links to, as written, without addresses and headings of the same page. */
const linksIn = (page: string): string[] =>
  [
    ...readFileSync(join(root, page), 'utf8')
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s#]+)[^)]*\)/g),
  ]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))

/** Files and folders of the project that a page names in backticks. */
const namesIn = (page: string): string[] =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(/`((?:src|emulator|test|docs|bin|\.build|\.ci)\/[\w./-]*)`/g),
  ].map(([, name = '']) => name)

describe.each(pages)('%s', (page) => {
  it('links to pages that exist', () => {
    expect(linksIn(page).filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })

  it('has no conflict of a merge', () => {
    expect(readFileSync(join(root, page), 'utf8')).not.toMatch(/^(<{7}|>{7}) /m)
  })

  it('names files that exist', () => {
    expect(namesIn(page).filter((name) => !existsSync(join(root, name)))).toEqual([])
  })
})
