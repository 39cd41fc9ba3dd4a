// Replaces atomically, which has a function of the same name.
export { writeFileSync } from 'node:fs'
