import { conformance } from './conformance.ts'
import { emulateProcess } from './targets/emulate_process.ts'

conformance(emulateProcess)
