import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = globSync(['README.md', 'SECURITY.md', 'docs/**/*.md', 'bin/*.js', 'src/**/*.ts', 'emulator/**/*.ts'], {
  cwd: root,
})
const texts = files.map((file) => ({ file, text: readFileSync(`${root}/${file}`, 'utf8') }))

it('nothing says to install payctl from a registry, which lacks it', () => {
  expect(files).toContain('docs/guide/getting-started.md')
  const fromRegistry = /npm (i|install|add) (-\S+ )*payctl\b/
  expect(texts.filter(({ text }) => fromRegistry.test(text)).map(({ file }) => file)).toEqual([])
})

it('tarballs are called what npm pack calls them', () => {
  const named = texts.flatMap(({ text }) => text.match(/payctl-[\d.]+\.tgz/g) ?? [])
  expect(new Set(named)).toEqual(new Set([`payctl-${manifest.version}.tgz`]))
})
