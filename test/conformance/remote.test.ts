import { describe, test } from 'vitest'
import { conformance } from './conformance.ts'
import { remote } from './targets/remote.ts'

const { CONFORMANCE_BASE_URL: baseUrl, CONFORMANCE_TOKEN: token } = process.env

if (baseUrl && token) conformance(remote(baseUrl, token))
else {
  describe('any server', () => {
    test.skip('set CONFORMANCE_BASE_URL and CONFORMANCE_TOKEN to run the suite against it', () => {})
  })
}
