import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { startEmulator } from '../../emulator/index.ts'
import { newFolder } from '../emulator/store/folder.ts'

const examples = new URL('../../docs/examples/team/', import.meta.url)
const path = (name: string) => fileURLToPath(new URL(name, examples))
const read = (name: string) => readFileSync(path(name), 'utf8')
const containers = new URL('containers/', import.meta.url)
const require = createRequire(containers)

const promtool = async (...argv: readonly string[]) => {
  const { exitCode, all } = await execa('promtool', argv, { reject: false, all: true })
  return { exitCode, all }
}

/** A scrape of an emulator in which there was a request, a delivery and a closed world. */
async function scrape(): Promise<string> {
  const emulator = await startEmulator({ worlds: newFolder(), openWorlds: 2 })
  onTestFinished(() => emulator.close())
  for (const name of ['a', 'b']) await emulator.control.worlds.create({ name })
  await fetch(`${emulator.baseUrl}/api/user`, { headers: { authorization: `Bearer ${emulator.token}` } })
  const read = async () => (await fetch(`${emulator.baseUrl}/metrics`)).text()
  await vi.waitFor(async () => expect(await read()).toContain('api="service"'))
  return read()
}

describe('the metrics', () => {
  it('are accepted by promtool', async () => {
    const check = promisify(execFile)('promtool', ['check', 'metrics'])
    check.child.stdin?.end(await scrape())
    expect(await check).toEqual({ stdout: '', stderr: '' })
  })

  it.each(['grafana-dashboard.json', 'alerts.yml'])('that %s shows exist in a scrape', async (file) => {
    const shown = new Set(
      file.endsWith('.json')
        ? JSON.parse(read(file)).panels.flatMap((panel: { targets: { expr: string }[] }) => namesIn(panel.targets))
        : parse(read(file)).groups.flatMap((group: { rules: { expr: string }[] }) => namesIn(group.rules)),
    )
    const found = new Set((await scrape()).split('\n').map((line) => /^[a-z_0-9]+/.exec(line)?.[0]))
    expect(shown.size).toBeGreaterThan(8)
    // Prometheus itself makes the metric `up`.
    expect([...shown].filter((name) => name !== 'up' && !found.has(String(name)))).toEqual([])
  })
})

/** Names of metrics in expressions: words that begin with `payctl_`, `process_` or `nodejs_`, and `up`. */
const namesIn = (expressions: readonly { readonly expr: string }[]): readonly string[] =>
  expressions.flatMap(({ expr }) => [...expr.matchAll(/\b(?:payctl|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name))

it('promtool accepts the scrape configuration', async () => {
  expect(await promtool('check', 'config', '--syntax-only', path('prometheus.yml'))).toMatchObject({ exitCode: 0 })
})

it('promtool accepts the alerts, and each is raised when it should be', async () => {
  expect(await promtool('check', 'rules', path('alerts.yml'))).toMatchObject({ exitCode: 0 })
  const { exitCode, all } = await promtool('test', 'rules', path('alerts.test.yml'))
  expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringContaining('SUCCESS') })
  const names = (file: string) =>
    new Set([...read(file).matchAll(/(?:alert|alertname): (\w+)/g)].map(([, name]) => name))
  expect(names('alerts.test.yml')).toEqual(names('alerts.yml'))
})

it('the manifests follow the schemas of Kubernetes', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml')).map((document) => document.toJS())
  expect(documents.map(({ kind }) => kind)).toEqual(['Service', 'PodDisruptionBudget', 'StatefulSet'])
  for (const document of documents) {
    const { [document.kind]: Model } = require(`kubernetes-models/${document.apiVersion}`)
    new Model(document).validate()
    const wrong = { ...document, spec: { ...document.spec, selector: 7 } }
    expect(() => new Model(wrong).validate()).toThrow('selector')
  }
})

it('the probes of the manifests answer', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const paths = [...read('kubernetes.yaml').matchAll(/path: (\/_emulator\S+)/g)].map(([, at]) => at)
  expect(paths).toHaveLength(3)
  for (const at of paths) expect((await fetch(`${emulator.baseUrl}${at}`)).status, at).toBe(200)
})

it('the compose file follows the specification', async () => {
  const dclint = fileURLToPath(new URL('node_modules/.bin/dclint', containers))
  const { exitCode, stdout } = await execa(dclint, ['--max-warnings', '0', path('compose.yaml')], { reject: false })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})
