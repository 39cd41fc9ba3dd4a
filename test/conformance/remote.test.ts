import { conformance } from './conformance.ts'
import { remote } from './targets/remote.ts'

/** Started by `run.ts`, which sees to it that both are there. */
const { CONFORMANCE_BASE_URL: baseUrl = '', CONFORMANCE_TOKEN: token = '' } = process.env

conformance(remote(baseUrl, token))
