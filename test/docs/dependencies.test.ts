import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

it('every dependency has its reason in docs/decisions/dependencies.md', () => {
  const text = readFileSync(new URL('../../docs/decisions/dependencies.md', import.meta.url), 'utf8')
  const { dependencies, optionalDependencies, devDependencies } = manifest
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
  expect(names.filter((name) => !new RegExp(`\\| [^|]*${name}\\b`).test(text))).toEqual([])
})
