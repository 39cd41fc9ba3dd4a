import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { endpoints } from '../../src/contract/endpoints.ts'
import { runPayctl } from '../support/run_payctl.ts'

describe('payctl openapi', () => {
  it.each([0, 80])('prints the document of the service as JSON, without a service, on %i columns', async (terminal) => {
    const { code, stdout, stderr } = await runPayctl(['openapi'], { terminal })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const document = JSON.parse(stdout)
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true })
    const paths = Object.values(endpoints).map(({ path }) => path)
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(paths))
  })

  it('is the same as YAML, and of another service with --emulator-control', async () => {
    const json = JSON.parse((await runPayctl(['openapi', '--json'])).stdout)
    expect(parse((await runPayctl(['openapi', '-o', 'yaml'])).stdout)).toEqual(json)
    const control = JSON.parse((await runPayctl(['openapi', '--emulator-control'])).stdout)
    expect(Object.keys(control.paths).filter((path) => path in json.paths)).toEqual([])
  })

  it('can be filtered, and is JSON whatever the environment prefers', async () => {
    expect((await runPayctl(['openapi', '--jq', '.openapi'])).stdout).toBe('3.1.0\n')
    const { stdout } = await runPayctl(['openapi'], { env: { PAYCTL_OUTPUT: 'csv' } })
    expect(JSON.parse(stdout)).toHaveProperty('openapi')
  })

  it.each(['csv', 'xlsx'])('is not %s', async (format) => {
    expect(await runPayctl(['openapi', '-o', format])).toMatchObject({ code: 2, stdout: '' })
    expect(await runPayctl(['schema', 'user', '-o', format])).toMatchObject({ code: 2, stdout: '' })
  })
})
