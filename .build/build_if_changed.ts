import { fileURLToPath } from 'node:url'
import { isBuilt } from './build_record.ts'

// Runs before tests, because they start the program in dist/.
if (!isBuilt(fileURLToPath(new URL('..', import.meta.url)))) await import('./build.ts')
