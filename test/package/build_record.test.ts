import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { isBuilt, recordBuild } from '../../.build/build_record.ts'

/** A built checkout: a source, a dependency, and the files built from them. */
function built() {
  const root = mkdtempSync(join(tmpdir(), 'payctl-build-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['src/money', 'node_modules', 'dist/cli']) mkdirSync(join(root, folder), { recursive: true })
  const write = (file: string, text: string) => writeFileSync(join(root, file), text)
  for (const file of ['src/money/amount.ts', 'package.json', 'node_modules/.package-lock.json', 'dist/cli/main.cjs'])
    write(file, 'as it was')
  recordBuild(root)
  return { root, write }
}

it.each([
  'src/money/amount.ts',
  'src/money/new.ts',
  'package.json',
  'node_modules/.package-lock.json',
  'dist/cli/main.cjs',
  'dist/cli/chunk.cjs',
])('the tests build again if %s has changed since the last build', (file) => {
  const { root, write } = built()
  expect(isBuilt(root)).toBe(true)
  write(file, 'as it is')
  expect(isBuilt(root)).toBe(false)
})

it('the tests build again if a source or dist/ is gone', () => {
  for (const path of ['src/money/amount.ts', 'dist']) {
    const { root } = built()
    rmSync(join(root, path), { recursive: true })
    expect(isBuilt(root)).toBe(false)
  }
})
