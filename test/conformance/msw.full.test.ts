import { conformance } from './conformance.ts'
import { msw } from './targets/msw.ts'

conformance(msw)
