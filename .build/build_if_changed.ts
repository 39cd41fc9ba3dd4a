import { fileURLToPath } from 'node:url'
import { isBuilt } from './build_record.ts'

// Run before the tests, which start what is in dist/.
if (!isBuilt(fileURLToPath(new URL('..', import.meta.url)))) await import('./build.ts')
