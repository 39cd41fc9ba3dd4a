import { conformance } from './conformance.ts'
import { remote } from './targets/remote.ts'

/** Started by `run.ts`, which sees to it that they are there. */
const { CONFORMANCE_BASE_URL: baseUrl = '', CONFORMANCE_TOKEN: token = '', CONFORMANCE_ALLOWED } = process.env

conformance(remote({ baseUrl, token, allowed: CONFORMANCE_ALLOWED ? Number(CONFORMANCE_ALLOWED) : null }))
