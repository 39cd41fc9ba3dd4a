import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { aboutNode } from './left_out.ts'

it('all other tests start payctl with test/support/program.ts, so that they can test an installed payctl', () => {
  const tests = globSync('test/**/*.ts', { exclude: ['test/installed'] })
  const found = tests.filter((file) => readFileSync(file, 'utf8').includes('bin/payctl.js'))
  expect(found.sort()).toEqual(Object.keys(aboutNode).sort())
})
